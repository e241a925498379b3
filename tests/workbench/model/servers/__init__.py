"""Other servers that the terminal can open."""
