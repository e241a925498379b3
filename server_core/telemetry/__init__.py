"""OpenTelemetry traces and metrics of a server; imported only when they are enabled."""
