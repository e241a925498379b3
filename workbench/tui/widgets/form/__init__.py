"""The form of a JSON Schema as widgets: `editor` for the whole, `view` for the rows, a file per kind of row."""
