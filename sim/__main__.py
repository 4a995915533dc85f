"""`python -m sim` is `sim`."""

from sim.cli import main

main()
