"""Times in words."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["time_text"]


def time_text(when: Any) -> str:
    """A time as short as it can be told: no midnights, no zeros behind the point."""
    if isinstance(when, np.datetime64):
        return str(when.astype("datetime64[s]")).removesuffix("T00:00:00").replace("T", " ")
    return f"{when:g}" if isinstance(when, float) else str(when)
