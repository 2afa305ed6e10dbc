"""From a path to records, whatever the format: opened, unpacked, and read piece by piece in bounded memory."""
