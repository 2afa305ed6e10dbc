"""Loop and stall: the same again, or other steps without progress (B7): errors, empty searches, words, remedies."""
