"""Traces and counts of what is served, for OpenTelemetry; nothing here is imported unless it is asked for."""
