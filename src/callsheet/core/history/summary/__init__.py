"""Summaries: what stands in the place of messages that left the window, without losing what the work still needs (F3).

| room | what happens there |
|---|---|
| `sections` | which sections a summary has, by domain, and how far each of them may give way |
| `profile` | which method and which domain fit a session, and why |
| `material` | newly cut messages, read once: sentences, calls, exact identifiers, the artifact index |
| `speech`, `identifiers`, `file_lines` | what is a rule, a decision, a cause; an exact name; a line about a file |
| `words`, `trail` | lines of what was said, and of what was done |
| `by_rule` | the summariser without a model: lines for every section from the material |
| `prompt`, `pieces` | what a model is asked for, and messages in pieces that fit it, none of them left out |
| `guards` | what is no summary: errors, instructions, words that nobody said |
| `merge`, `fit`, `layout` | new lines join the standing ones by key; what gives way; the block as it is sent |
| `handover` | the same material as a note that a new session starts from |
"""
