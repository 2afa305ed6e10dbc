"""The nouns: frozen, slotted dataclasses on the standard library alone, and the one home of every shared type."""
