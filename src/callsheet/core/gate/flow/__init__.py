"""Information flow: where the arguments of a call come from, and what they would tell whom (I1, invariant 5).

`findings.py` is the way through it: `lending.py` says which texts and entries lend authority, `tracing.py` looks for
each part of an argument in them by `matching.py`, and `outgoing.py` looks for what a call would carry out.
"""
