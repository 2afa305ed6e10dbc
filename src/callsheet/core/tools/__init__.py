"""Tools as a whole: contracts made from other people's definitions, limits of use, the lint of a catalogue (D1, D2)."""
