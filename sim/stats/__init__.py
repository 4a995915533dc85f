"""From stored blocks of deals to estimates with intervals, and verdicts in words."""
