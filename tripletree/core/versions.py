"""Fitted estimators say which version of the package pickled them."""

from __future__ import annotations

from typing import Any

from tripletree._version import __version__
from tripletree.errors import warn_user

_KEY = "_tripletree_version"


class VersionedState:
    """A base of estimators whose pickles hold the version that wrote them. Another version warns when it loads them."""

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), _KEY: __version__}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        rest = {key: value for key, value in state.items() if key != _KEY}
        version = state.get(_KEY, "before 0.1.0")
        if version != __version__:
            warn_user(
                f"this {type(self).__name__} was pickled by tripletree {version} and is loaded by {__version__}: "
                "attributes may differ between versions, so fit it again if something is missing or differs"
            )
        parent = super()
        if hasattr(parent, "__setstate__"):
            parent.__setstate__(rest)
        else:
            vars(self).update(rest)
