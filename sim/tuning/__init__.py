"""Tuning: which house rules meet a person's goals, and the proof of it on fresh deals."""
