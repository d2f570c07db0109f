"""Labels that no file can hold."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["check_unicode"]


def check_unicode(labels: Sequence[str], error: type[ValueError]) -> None:
    """Refuse labels that hold half of a surrogate pair, before anything is written.

    Raises
    ------
    error
        That names the first of them.
    """
    try:
        "".join(labels).encode()
    except UnicodeEncodeError:
        bad = next(x for x in labels if any("\ud800" <= ch <= "\udfff" for ch in x))
        msg = f"the label {bad!r} holds half of a surrogate pair, which is no character and cannot be written (UTF-8)"
        raise error(msg) from None
