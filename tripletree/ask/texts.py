"""The texts of the page in several languages. The folder ``languages`` has a file for each."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

#: The known languages, by their codes (ISO 639-1).
LANGUAGES = ("en", "de", "fr")


@cache
def texts_of(language: str) -> dict[str, Any]:
    """Return the texts of a language by their keys. A text with two forms has them under ``one`` and ``other``."""
    return json.loads((files("tripletree.ask") / "languages" / f"{language}.json").read_text(encoding="utf-8"))


def texts_as_script(texts: dict[str, dict[str, Any]] | None = None) -> str:
    """Return texts by language as a line of the page's script: by default the texts of all languages."""
    return f"const TEXTS = {json.dumps(texts or {language: texts_of(language) for language in LANGUAGES})};\n"


def check_language(language: str | None) -> str:
    """Return the code of a language, or "" for None, the language that each browser prefers."""
    if language is not None and language not in LANGUAGES:
        msg = f"there is no language {language!r}; expected one of {', '.join(LANGUAGES)}, or None for the browser's"
        raise ValueError(msg)
    return language or ""
