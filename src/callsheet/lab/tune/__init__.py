"""Tuning: values of the ranking found on one half of labelled questions, and judged on the other (B5)."""
