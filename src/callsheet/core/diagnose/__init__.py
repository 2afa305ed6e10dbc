"""Diagnosis of recorded decisions: rules over a manifest and what came of it, no model needed."""
