"""Fuzzing the engines against each other: millions of turns of random games of random rules.

The kernel plays every game, and each row must hold the facts of `tests.facts`. The twin plays a
random sixteenth of the deals again, and the two must agree turn for turn (`tests.differential`).
What they do not agree on is shrunk (`tests.fuzz.shrink`) and kept (`tests.fuzz.found`), so that
the ordinary tests play it from then on.
"""
