"""The restart point of our own runs: a scope list and a progress log in the canonical state (C10).

- `scope`: the changes that may be made to them. An item is done by what is on record, never by anybody's word.
- `tools`: the contracts by which a model writes the list, the log, and says that an item is done.

How both stand in a working set: `sources/scope.py`. As a Markdown file, for other harnesses:
`history/handoff/restart.py`.
"""
