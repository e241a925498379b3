"""Small servers, one for each feature, and the tests that call all of their tools."""
