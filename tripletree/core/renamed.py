"""Public names that have changed: the old ones work until version 1.0, and say what they are called now.

A face whose names have changed asks `old_name` from its ``__getattr__``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tripletree.errors import warn_user

#: What the old names of each face are called now. CHANGELOG has the same list, for users.
RENAMED = {
    "tripletree": {"consensus": "aggregate_answers", "minimal": "irredundant"},
    "tripletree.algorithms": {"informativeness": "information_content"},
}


def old_name(face: str, name: str) -> Any:
    """What a face has under an old name, with a DeprecationWarning. An AttributeError for a name that it never had."""
    new = RENAMED[face].get(name)
    if new is None:
        msg = f"module {face!r} has no attribute {name!r}"
        raise AttributeError(msg)
    warn_user(f"{face}.{name} is now {face}.{new}; the old name goes with version 1.0", DeprecationWarning)
    return getattr(import_module(face), new)
