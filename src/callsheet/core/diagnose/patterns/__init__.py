"""Failure patterns of a session, each by rules of its own over its events; no model needed (H2).

The way of the data: `patterns` turns the events of every conversation into moments and their `blocks`, and gives each
to all detectors, whose `contract` is to take moments and to give findings. A block carries its `texts.reading`: the
text, read once for all of them. `grounding` is what everybody but the model has said before. The rooms are the
patterns: `poisoning`, `distraction`, `confusion`, `clash`, `position_loss`, `stall` (loops too) and `lost_obligation`;
their docstrings name what each of them holds.
"""
