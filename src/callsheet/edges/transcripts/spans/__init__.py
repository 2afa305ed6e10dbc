"""Spans of OpenTelemetry GenAI and OpenInference."""
