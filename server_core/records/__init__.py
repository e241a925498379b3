"""What crosses a wire, and what happens in a core, as records: numbered, masked, and kept."""
