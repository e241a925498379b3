"""What fills the terminal: the six panes of the workbench, and the screens that come before and above them."""
