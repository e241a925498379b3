"""Records of wire traffic and core events: numbered, masked, and stored in captures."""
