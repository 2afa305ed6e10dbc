"""Diagnosis: of recorded decisions, and of any transcript; rules over what is on record, no model needed.

| room | what happens there |
|---|---|
| `blame` | which of five was missing when one of our own decisions failed |
| `diagnose` | a transcript's events go once through all that follows, and come out as a `Diagnosis` |
| `session` | what is counted of every session; a session in memory |
| `window`, `definitions` | what stands in the model's window, in tokens by bucket, tools included |
| `buckets`, `calibration`, `spending` | where tokens went, held against what was reported; what that cost |
| `catalogue`, `names`, `arguments` | tools: their cost, those never called, those that do not exist, wrong calls |
| `relation`, `sameness`, `spot`, `causes` | how one request continues another: where they part and why |
| `cache`, `cache_terms`, `cache_alarm`, `eviction` | cached reads as expected; breaks, drops, bad settings |
| `patterns/` | failure patterns, one detector each |
| `fixes` | which fix comes first |
"""
