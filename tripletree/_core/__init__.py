"""The compiled core: data structures and long loops in C++, built when the package is installed.

``engine`` is the module that is made of the C++ files beside this one. ``basics.hpp`` is the place to begin to read.
"""

from __future__ import annotations

from importlib import import_module

try:
    engine = import_module("tripletree._core.engine")
except ImportError as error:
    _MESSAGE = (
        f"the compiled part of tripletree does not load ({error}): install the package again, with "
        "`pip install .` in its folder, or `pip install --editable .` to work on it"
    )
    raise ImportError(_MESSAGE) from error
