"""Small servers, one for each thing that a server can do, and the tests that call all of their tools."""
