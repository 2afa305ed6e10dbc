"""What may be written into memory, and how, and what of it a decision may use.

A request to remember something is judged in this order: `writing` asks one question after another and gives the first
refusal, or the record to store. The questions are those of `orders` (does it only state?), of `cleaning` (what must not
be stored?), of `lasting`, `days` and `reusable` (is it worth keeping?) and of `superseding` (what is known already? by
`sameness` and `relation`). `confirming` makes facts of hypotheses. `extraction` finds in a conversation what might be
asked to be kept, and asks like everybody else.

`loading` decides what of it is used: four checks, then facts, hypotheses and quotes, each with its relevance.

Files that a model keeps for itself are another thing: `core/memory_files`.
"""
