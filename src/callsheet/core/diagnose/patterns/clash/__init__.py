"""Clash: two texts in the window contradict each other, and nothing says which one holds (H2).

`statements` finds two sentences that differ in one fact, by `comparing` them; `records` are two JSON objects on one
thing, `settings` a file against a text, `persons` what somebody says to be against a record, `directives` two orders.
`clash` brings them together.
"""
