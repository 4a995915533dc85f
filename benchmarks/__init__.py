"""How fast the engine is, beside another one measured in the same process."""
