"""The six panes of the workbench, and the screens that are shown before and above them."""
