"""Files as documents: Markdown, reStructuredText, HTML, PDF, plain text, code, JSON lines and tables (B5).

`reading.read` gives the documents of one file: `file` its bytes and its name, a module for each format the text and its
outline, `matter` what the file states of itself, `document` all of it together. A format's module is loaded when the
first file of it is read; the heavy parsers are the extra `callsheet[documents]`. Which files there are is not asked
here (edges/corpus).
"""
