"""What authors of tools import; each name is loaded when it is first used."""
