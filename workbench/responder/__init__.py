"""The rules of a project in use: which of them answers a question, and the programs and models that compute answers."""
