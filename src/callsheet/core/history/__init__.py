"""What becomes of a conversation's past: it is never changed; a policy decides how it stands in the next request.

The way of the data, and the rooms on it:

- `recorded`: messages are numbered, weighed, and told by who wrote them and what they answer; `record` holds them all.
- `conversation`: before each request the steps act, one after the other. `policies` names them and says
  what each is sure to keep. `terms`: what the request to come allows and costs.
- `steps`: one module each. `editing`: when a step acts, whether it pays, what goes first, what becomes of thinking.
- `cuts`: where a cut may fall. `coverage` asserts after every step that nothing is lost without a trace.
- `summary`: what stands in the place of what left.
- `view`, with `layout`: the standing as messages that every dialect takes.
- `artifacts`: the index of files, which a summary and a diagnosis are made from.
- `handoff`: what goes from one window to another: documents, a sub-agent's answer, a scope list, a note.
"""
