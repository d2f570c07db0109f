"""The compiled core: data structures and long loops in C++, built when the package is installed.

``engine`` is the module that is made of the C++ files beside this one, with a part for each of them. Read
``basics.hpp`` first. The files bind_*.cpp tell what goes in and comes out.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

try:
    engine: Any = import_module("tripletree._core.engine")
except ImportError as error:
    _MESSAGE = (
        f"the compiled part of tripletree does not load ({error}): install the package again, with "
        "`pip install .` in its folder, or `pip install --editable .` to work on it"
    )
    raise ImportError(_MESSAGE) from error
