"""Position loss: what was said early or in the middle of the window is not seen any more (E2, H2).

`given_values` are asked for again, `denials` say that something was not told; `instructions`, `answers` and `plans` are
not followed; of `lists` one thing is dropped; `known_commands` and `signatures` are asked for again or guessed.
"""
