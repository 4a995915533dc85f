"""What a run says: its numbers with their families, by name, in Python, and against another run.

It reads the store and `sim.stats`; tables, pictures and JSON only show what is computed here.
"""
