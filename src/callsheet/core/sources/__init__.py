"""One file per source: a noun in, its rendered item out. The host measures items; nothing here counts or looks up."""
