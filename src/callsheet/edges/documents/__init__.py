"""Files as documents: Markdown, reStructuredText, HTML, PDF, plain text, code, JSON lines and tables (B5).

`reading.read` gives the documents of one file and `finding.found` the files of a folder; each format has a module of
its own, loaded when the first file of that format is read, and the heavy parsers are the extra `callsheet[documents]`.
"""
