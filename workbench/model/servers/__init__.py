"""Other servers that the terminal can open: the known clients, their files, and the list of all servers."""
