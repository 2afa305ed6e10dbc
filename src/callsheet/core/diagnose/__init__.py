"""Diagnosis: of recorded decisions, and of any transcript; rules over what is on record, no model needed.

| room | what happens there |
|---|---|
| `blame` | which of five was missing when one of our own decisions failed |
| `diagnose` | a transcript's events go once through all that follows, and come out as a `Diagnosis` |
| `session` | what is counted of every session; a session in memory |
| `window` | what stands in the model's window, in tokens by bucket, tools included |
| `definitions` | what a tool's definition costs |
| `tokens/` | where tokens went, held against what was reported; what that cost |
| `tools/` | tools: their cost, those never called, those that do not exist, wrong calls |
| `cache/` | how a request continues the one before, where it parts and why; cached reads as expected; breaks, drops |
| `patterns/` | failure patterns, one detector each |
| `fixes` | which fix comes first |
"""
