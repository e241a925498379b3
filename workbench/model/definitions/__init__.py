"""Definitions of offers: what changed from one to the next and for whom that is breaking, and their parameters."""
