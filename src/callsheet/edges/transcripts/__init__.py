"""Transcripts of other tools: each format turns its records into the events of `model.transcript`.

`opening` and `reading` turn whatever lies at a path into records, `formats` recognises the format by its content.
A format is one module, or a folder where it takes several; `shared/` is what several of them use.
"""
