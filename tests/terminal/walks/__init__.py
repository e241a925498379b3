"""Random walks through the real program: keys, mouse, pastes, resizes and saves, all from a seed."""
