"""The form of a JSON Schema as widgets: `editor` for the whole, `view` for the rows, one file per kind of row."""
