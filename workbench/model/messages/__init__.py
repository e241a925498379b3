"""Messages that a user writes: their text, what is wrong with them, and how they begin."""
