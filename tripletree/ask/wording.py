"""What the people of a study read in the words of its leader, beside the texts that the page has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tripletree.ask.texts import LANGUAGES, texts_of
from tripletree.core.checks import described

#: The texts of the page that each part replaces.
_KEYS = {
    "question": ("question",),
    "instructions": ("instructionsText",),
    "consent": ("consentText",),
    "end": ("allAnsweredText", "thanksText"),
}


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The words of a study: its question, and the pages before and after the questions.

    Each text is in one language, or a mapping from codes of languages to texts. The page then speaks only the languages
    in which all mappings have a text. Empty lines part paragraphs.

    Parameters
    ----------
    question : str or mapping, optional
        The question above the three samples, instead of "Which one does not belong?".
    instructions : str or mapping, optional
        A page before the questions.
    consent : str or mapping, optional
        A page before that. The questions begin once a person has pressed "I agree".
    end : str or mapping, optional
        The thanks after the last question.
    completion_code : str, optional
        A code that people see after their last question, and not before.
    return_address : str, optional
        An address (https://...) to return to after the last question. ``{who}`` in it becomes the name of the person.

    Raises
    ------
    ValueError
        If a text is empty, a language is not known, or no language has all texts.

    See Also
    --------
    serve : takes it.
    Design : which questions there are, and the practice before them.

    Examples
    --------
    >>> wording = Wording(question={"en": "Which one is the odd bird?", "de": "Welcher Vogel passt nicht dazu?"})
    >>> wording.languages
    ('en', 'de')
    """

    question: str | Mapping[str, str] | None = None
    instructions: str | Mapping[str, str] | None = None
    consent: str | Mapping[str, str] | None = None
    end: str | Mapping[str, str] | None = None
    completion_code: str | None = None
    return_address: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Mapping) and field.name in _KEYS:
                unknown = [x for x in value if x not in LANGUAGES]
                if unknown or not value:
                    what = f"there is no language {unknown[0]!r}" if unknown else "it has no text"
                    msg = f"{field.name}: {what}; expected texts for some of {', '.join(LANGUAGES)}"
                    raise ValueError(msg)
                texts: list[Any] = list(value.values())
            else:
                texts = [] if value is None else [value]
            wrong = next((x for x in texts if not isinstance(x, str) or not x.strip()), None)
            if wrong is not None:
                msg = f"{field.name} must be a text that is not empty, not {described(wrong)}"
                raise ValueError(msg)
        if self.return_address is not None and not self.return_address.startswith(("https://", "http://")):
            msg = f"return_address must begin with https:// or http://, not {self.return_address!r:.80}"
            raise ValueError(msg)
        if not self.languages:
            msg = "no language has all texts: give each text in the same languages"
            raise ValueError(msg)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the page speaks."""
        given = [x for key in _KEYS if isinstance(x := getattr(self, key), Mapping)]
        return tuple(language for language in LANGUAGES if all(language in x for x in given))

    def texts(self) -> dict[str, dict[str, Any]]:
        """Return the texts of the page by language, with the wording in its places."""
        found = {}
        for language in self.languages:
            found[language] = dict(texts_of(language))
            for name, keys in _KEYS.items():
                value = getattr(self, name)
                if value is not None:
                    found[language] |= dict.fromkeys(keys, value[language] if isinstance(value, Mapping) else value)
        return found

    def check_language(self, language: str) -> None:
        """Raise an error if the page is to speak a language that the wording lacks."""
        if language and language not in self.languages:
            msg = f"the texts of the study have no language {language!r}, only {', '.join(self.languages)}"
            raise ValueError(msg)
