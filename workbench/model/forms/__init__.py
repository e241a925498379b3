"""Forms from JSON Schemas: fields, conversion of typed text to values, and problems."""
