"""The memory tool: six operations on the text files that a model keeps for itself below `/memories` (C7).

A call comes as arguments: `commands` reads them into a command or a refusal, with `paths` as the grammar of paths.
`areas` says in which area a path lies and who may write there. `operations` gives the one change of that area's tree,
and what the model is told, in the words of `wording`.
"""
