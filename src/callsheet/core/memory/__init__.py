"""Writing a memory, in the order in which a request to remember something is judged.

`writing` asks one question after another and gives the first refusal, or the record to store. The questions are those
of `origin` (whose words are these, and may they be kept?), of core/text/personal (what must not be stored?), of
`conditions` (is it worth keeping: lasting, reusable, not cheap to derive again?) and of `superseding` (what is known
already?). `extraction` finds in a conversation what might be asked to be kept, and asks like everybody else.
"""
