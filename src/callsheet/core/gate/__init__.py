"""The gate: proposed calls and answers judged by code, never by the confidence of a model (D1, I1, I2)."""
