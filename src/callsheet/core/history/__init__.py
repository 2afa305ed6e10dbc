"""What becomes of a conversation's past: it is never changed; a policy decides how it stands in the next request.

The way of the data, and the rooms on it:

- `entries`, `speakers`: messages are numbered, weighed, and told by who wrote them; `record` holds them all.
- `conversation`: before each request the steps act, one after the other. `policies` names them, `guarantees` says of
  each what is sure. `steps`: one module each. `triggers`, `pays`, `importance`, `leaving`: when, whether, what first.
- `cuts`, `together`, `pairing`: where a cut may fall. `again`, `answers`: what can be read again. `sealed`, `tail`:
  what becomes of thinking. `coverage` asserts after every step that nothing is lost without a trace.
- `summary`: what stands in the place of what left. `standing_rules`, `user_words`: what a person said stays.
- `show`, with `layout` and `piece`: the standing as messages that every dialect takes.
- `artifacts`: the index of files, which a summary and a diagnosis are made from.
- `phases`, `receipt`, `restart`: what goes from one window to another: documents, a sub-agent's answer, a scope list.
"""
