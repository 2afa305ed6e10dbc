"""Probes: questions put to a model about a conversation, where a policy keeps it (F9).

In the order of the way through: `probe` (the question in six phrasings), `files` (written in YAML) and `made` (by code
from a transcript); `run` lays each question out under a policy, or with the fact alone, `ask` writes it in the model's
dialect, `again` lets the model read originals again, `answers` keeps what came back; `split` tells right from a
neighbour's value, "I don't know" and other, by `value` and `unknowing`; `results` counts, `paired` puts a policy beside
the whole history. `incident` is a story to try policies on.
"""
