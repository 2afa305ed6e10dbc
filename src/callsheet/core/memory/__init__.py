"""What may be written into memory, and how.

A request to remember something is judged in this order: `writing` asks one question after another and gives the first
refusal, or the record to store. The questions are those of `origin` (whose words are these, and may they be kept?), of
core/text/personal (what must not be stored?), of `conditions` (is it worth keeping: lasting, reusable, not cheap to
derive again?) and of `superseding` (what is known already?). `extraction` finds in a conversation what might be asked
to be kept, and asks like everybody else.

The memory tool is apart: `paths` is its grammar of paths, and its six operations stand beside it.
"""
