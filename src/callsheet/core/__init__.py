"""The verbs: pure, synchronous and deterministic. No I/O, clock, randomness, environment or logging in here.

The way of a decision, and the rooms on it:

- `run` repeats `decide` until an outcome or a ceiling. `decide` reads like the lifecycle: prepare, call, conclude.
- `plan`: decision kind, tools (`narrowing`), budget and queries; `scope`: who may see what. `sources`: one a module.
- `assembly`: what was gathered, as a working set. `proposal`: what the model is asked for. `render`: as bytes.
- `restart`, `paging`: what outlives a window, and what a model moves out of it and back.
- `record`: the manifest; later, why a byte is there and where two requests differ.
- `outcome`: the reply read (`proposal`), its calls run (`calls`), all of it judged (`gate`).
- `text`, `prices`: what several rooms do with foreign text, and count of money.
- `history`: what becomes of a conversation's past. `diagnose`: what a record or a transcript tells.
"""
