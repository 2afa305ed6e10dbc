"""What of a conversation must stay together, one rule a module.

Each rule gives spans (first, last) of message numbers: no cut may fall between them.
"""
