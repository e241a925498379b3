"""Forms from JSON Schemas: fields, what was typed as a value, and what is wrong with it."""
