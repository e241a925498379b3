"""The client's end of Streamable HTTP and of HTTP+SSE."""
