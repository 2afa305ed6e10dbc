"""`python -m callsheet` is the command `callsheet`."""

from .cli import main

if __name__ == "__main__":
    main()
