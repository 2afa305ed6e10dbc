"""Rendering: a working set to the bytes a provider reads, and a provider's bytes to a response.

| room | what happens there |
|---|---|
| `lay_out` | a working set becomes a `Prompt`: which item goes into which channel |
| `caching`, `deferral`, `native` | cache marks, tools left to the model's search, context editing: added to a prompt |
| `dialects` | the four dialects by name; `render`, `illegal`, `read_response` are the ways through them |
| `anthropic/`, `gemini/`, `openai_chat/`, `openai_responses/` | one dialect each, as the record in `dialect` says |
| `fields`, `figures`, `legality`, `sse` | what several dialects read, count, refuse and stream alike |
| `writer` | a tree of JSON and owned text becomes segments with one owner each |
| `thinking` | which edits of a conversation break sealed reasoning, and what to do then |
| `translate/` | a conversation of one dialect in another |
| `texts` | the words of any request, for estimates |
"""
