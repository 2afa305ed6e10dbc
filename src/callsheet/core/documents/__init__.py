"""Documents before any question is asked of them.

`rules` gives a document what it does not say itself, `review` when it is to be looked at again, `standing` says which
versions are in force at a time, and `relations` what a document has in common with others. `convert` makes documents of
tools, memories and skills, so that one index and one ranking find them all.
"""
