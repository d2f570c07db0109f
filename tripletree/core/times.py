"""Times in words, as short as they can be without becoming equal."""

from __future__ import annotations

from typing import Any

import numpy as np


def time_text(when: Any) -> str:
    """Write a time without midnights and trailing zeros. Different times give different texts."""
    if isinstance(when, np.datetime64):
        if np.datetime_data(when.dtype)[0] in "hm":
            when = when.astype("datetime64[s]")
        text = str(when)
        if "." in text:
            text = text.rstrip("0").removesuffix(".")
        return text.removesuffix("T00:00:00").replace("T", " ")
    if isinstance(when, float):
        text = f"{when:g}"
        return text if float(text) == when else f"{when:.15g}"
    return str(when)
