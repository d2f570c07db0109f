"""``python -m tripletree``."""

from __future__ import annotations

from tripletree.cli import main

if __name__ == "__main__":
    main(prog_name="tripletree")
