"""What the text of a question says: what is asked (the odd one of three, or the more alike of two), and its items.

Read by the other modules of judgements, `tripletree.io.headers` to `tripletree.io.readings`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from tripletree.tables.cells import is_no_answer

#: What stands between items in the text of a question, and in a name.
_IN_TEXTS = (r"\s*[\n;|/]\s*", r"\s*,\s*(?:or |and |oder |und )?|\s+(?:or|and|oder|und|vs\.?)\s+", r"\s+[-–]\s+")
#: What a form writes around the number of a choice: A1, AO01, 1.0.
FORM_CODE = re.compile(r"^[A-Za-z]{1,3}0*(?=\d$)|[.,]0+$")
_IN_NAMES = (r"_+vs\.?_+", r"[_|/+]+", "-", r"\.")
#: What stands around the items of a list in a text.
AROUND = " \t\r\n.!\"'`-–—−•·*‣▪◦●>“”‘’„«»()"
#: What stands in a question between two, and between options.
_MORE_LIKE = re.compile(
    r"\b(?:(?:more|rather|most)\s+(?:like|alike|similar|related)(?:\s+(?:to|with))?|(?:closer|nearer|closest|nearest)(?:\s+to)?"
    r"|looks?\s+more\s+like|ähnlicher(?:\s+(?:zu|wie|als))?|(?:eher|mehr)\s+wie|näher\s+(?:an|bei)|plus\s+proche\s+(?:de|du)"
    r"|ressemble\s+plus\s+(?:à|au)|(?:se\s+parece\s+)?más\s+(?:parecid[oa]\s+)?a|más\s+cerca\s+de)\s+",
    re.IGNORECASE,
)
#: A longer text is no question.
LONGEST_QUESTION = 2_000
_OPTIONS = re.compile(r"\s*[:?;|/,\n]\s*(?:or\s|oder\s|ou\s|o\s)?\s*|\s+(?:or|oder|ou|o|vs\.?)\s+", re.IGNORECASE)
LEADING = re.compile(
    r"\W*(?:q?\d+\W+)?(?:(?:is|are|does|do|ist|sind|est|es|which|what|one|of|these|two|was|welches|is|the|an?|der|die|das|le|la|el)\s+)*",
    re.IGNORECASE,
)


def without_tags(text: str) -> str:
    """A text without the tags of HTML."""
    return re.sub(r"<[^<>]*>", " ", text).replace("&nbsp;", " ") if "<" in text or "&" in text else text


def compares(text: str) -> bool:
    """True if a question asks which of two is more like a third."""
    return compared_in(text) is not None


def compared_in(text: str) -> list[str] | None:
    """The anchor and the two options of a question: "Is a pear more like an apple or a saw?". None if it is another."""
    text = without_tags(text).strip(AROUND + "?")
    found = _MORE_LIKE.search(text) if len(text) < LONGEST_QUESTION else None
    if found is None:
        return None
    before = LEADING.sub("", text[: found.start()], count=1)
    after = [LEADING.sub("", x, count=1).strip(AROUND) for x in _OPTIONS.split(text[found.end() :])]
    trio = [before.strip(AROUND), *after] if len(after) == 2 else after
    return trio if len(trio) == 3 == len({*trio}) and all(trio) else None


#: The most words and marks of an item in a text.
_MOST_WORDS = 8


def anchors_in(texts: Sequence[str | None]) -> tuple[list[list[Any]], str] | None:
    """What differs between questions, and what all of them say, if that asks for something."""
    words = [[] if x is None else re.findall(r"\s*(?:\w+|\S)", x) for x in {*texts}]
    shown = [x for x in words if x]
    if len(shown) < 2:
        return None
    head, tail = (os.path.commonprefix([x[::step] for x in shown]) for step in (1, -1))
    n, m = len(head), len(tail)
    if any(not 0 < len(x) - n - m <= _MOST_WORDS for x in shown):
        return None
    begin, end = len("".join(head)), "".join(tail[::-1])
    stem = f"{''.join(head)} ...{end}"
    if not (asks_for_near(stem) or asks_for_far(stem) or "?" in stem):
        return None
    parts = [None if x is None else x[begin : len(x) - len(end)].strip(AROUND + "?") for x in texts]
    return None if "" in parts else ([parts], stem)


def trios_in(texts: Sequence[str | None], said: Sequence[str | None]) -> tuple[list[list[Any]], str] | None:
    """The items of questions that name all three: an anchor and two options, or three of which answers name the odd."""
    if texts[0] is None or (compared_in(texts[0]) is None and not asks_for_far(texts[0])):
        return None
    trios = [None if x is None else compared_in(x) for x in texts]
    how = "which of two is more like the first"
    if any(x is None for x in trios):
        rows = zip(texts, said, strict=True)
        trios = [items_in(x or "", set() if is_no_answer(y) else {str(y)}, coded=True) for x, y in rows]
        how = ""
    if any(x is None for x in trios):
        return None
    return [list(x) for x in zip(*trios, strict=True)], how


#: What a question says that asks for the odd one, or the less alike of two, and for the more alike.
_SAYS_ODD = re.compile(
    r"\bodd|(?:not|n't|n’t|least|cannot) (?:belong|fit|match|go)|belongs? (?:the )?least|misfit|outlier|intru[ds]"
    r"|(?:less|least) (?:alike|similar|like)|unlike|(?:most|more) (?:different|dissimilar|distinct|unlike)"
    r"|different from|differs|farthe|furthe|passt nicht|nicht (?:da|hin|zu)|gehört nicht|unterscheide|unähnlich"
    r"|wenig(?:er|sten) ähnlich|anders|außenseiter|ne va pas|moins (?:proche|sembl|simil|ressembl)|no pertenece"
    r"|no encaja|menos parecid|meno simil|diferente|différent|diverso|c'entra|hoort (?:er )?niet|past (?:er )?niet"
    r"|minst",
    re.IGNORECASE,
)
_SAYS_NEAR = re.compile(
    r"(?:go|goes|belongs?) (?:better |best )?with|similar|alike|(?:more|most|rather) like"
    r"|resembl|clos(?:er|est)|near(?:er|est)|together|\bmatch|ähnlich|eher wie"
    r"|näher|zusammen|proche|ressembl|semblab|parecid|simil|más cerca|più vicin|lijkt",
    re.IGNORECASE,
)


def asks_for_far(text: str) -> bool:
    """True if a text asks for the odd one, or for the less alike of two."""
    return _SAYS_ODD.search(text) is not None


def asks_for_near(text: str) -> bool:
    """True if a text asks for the more alike."""
    return _SAYS_NEAR.search(_SAYS_ODD.sub("", text)) is not None


def is_neutral(text: str) -> bool:
    """True if a text has no word that says what is asked: "Which of these?"."""
    return len({x.lower() for x in re.findall(r"[^\W\d_]+", text)} - _NEUTRAL) < 2


#: Words that ask for nothing.
_NEUTRAL = frozenset(
    {"which", "one", "of", "these", "three", "question", "item", "trial", "triad", "trio", "set", "q", "t"}
    | {"number", "no", "welche", "welches", "welcher", "please", "click", "choose", "select", "pick", "on"}
    | {"the", "a", "picture", "image", "word", "answer"}
)


def words_before(text: str, items: Sequence[str]) -> str:
    """What a question's text says before its items."""
    at = min((text.find(x) for x in items if x in text), default=len(text))
    return re.sub(r"^\W*\w?\d+\W*", "", text[:at]).strip().lower()


def names_items(name: str) -> bool:
    """True if a header lists three items: "Which is odd? [cat, dog, eel]"."""
    return any(x in name for x in "?[:") and items_in(name, set()) is not None


def name_of_items(name: str) -> bool:
    """True if a name may be of three items: cat_dog_eel."""
    return is_bare(name) and items_in(name, set()) is not None


def is_bare(text: str) -> bool:
    return re.search(r"[\s?:,\[]", text) is None


def _are_places(items: Sequence[str]) -> bool:
    """True for parts of a name that are numbers or places of items: left/middle/right, A/B/C."""
    words = {x.lower() for x in items}
    return any(map(str.isdigit, items)) or words in ({*"abc"}, {"left", "middle", "right"}, {"left", "center", "right"})


def items_in(text: str, said: set[str], *, coded: bool = False, codes: Sequence[Any] | None = None) -> list[str] | None:
    """Return the three items that a question's text lists at its end, with each answer among them, or None.

    With `coded` all answers may be positions, or the `codes` that are given.
    """
    text = re.sub(r"<[^<>]*>", "", re.sub(r"<\s*/?\s*(?:br|p|li|ul|ol|div)\b[^<>]*>", "\n", text)).replace(
        "&nbsp;", " "
    )
    bare = is_bare(text)
    within = re.search(r"[\[({]([^\[\](){}]*)[\])}][\s.?!]*$", text)
    tail = within[1] if within else re.split(r"[?:]", text.rstrip("?:. \n"))[-1]
    places = ({*"012"}, {*"123"}, {str(x) for x in codes or ()}) if coded else ()
    for separator in _IN_NAMES if bare else _IN_TEXTS:
        items = [x for part in re.split(separator, tail.strip(AROUND)) if (x := part.strip(AROUND))]
        if bare and len(items) == 4 and re.fullmatch(r"[a-zA-Z]{0,8}\d+|odd|q|item|trial|trio", items[0]):
            del items[0]
        if len(items) != 3 or len(set(items)) != 3 or (bare and _are_places(items)):
            continue
        if said <= {*items} or any({FORM_CODE.sub("", x) for x in said} <= x for x in places):
            return items
    return None


#: What stands between two labels that are named together, and a triplet in Newick.
_BETWEEN = r"\s*(?:[,;/&+|_-]|\s(?:and|und|et|y|e|en)\s|\s)\s*"
_NEWICK = re.compile(
    r"\s*\(\s*(?:\((?P<x>[^(),:;]+),(?P<y>[^(),:;]+)\)\s*,(?P<z>[^(),:;]+)"
    r"|(?P<w>[^(),:;]+),\s*\((?P<u>[^(),:;]+),(?P<v>[^(),:;]+)\)\s*)\)\s*;?\s*"
)


def newick_triplet(text: str) -> tuple[str, str, str] | None:
    """The labels a, b and c of ((a,b),c); without lengths and names of inner nodes. None for another text."""
    found = _NEWICK.fullmatch(re.sub(r":\s*[-+.\deE]+|(?<=\))[\w.]+", "", text)) if "(" in text else None
    trio = () if found is None else found.group("x", "y", "z") if found["x"] else found.group("u", "v", "w")
    return tuple(x.strip().strip("'\"") for x in trio) or None  # type: ignore[return-value]


def odd_in(text: str, names: Sequence[str | None], *, whole: bool = False) -> int | None:
    """The place of the third of three names, of a text that names the two others: "cat and dog", "ab|c", "((a,b),c)".

    With `whole` only a text that has the third one, too, behind or before a bar or in Newick.
    """
    trio = newick_triplet(text)
    sides = [x.strip() for x in text.split("|")]
    sides = [f"{trio[0]},{trio[1]}", trio[2]] if trio else sides if len(sides) == 2 and all(sides) else []
    texts = sides or ([] if whole else [text])
    found = []
    for k, odd in enumerate(names):
        rest = [re.escape(x) for x in names if x and x != odd]
        if odd is None or len(rest) != 2:
            return None
        between = f"(?:{_BETWEEN})" + "?" * all(len(x or "") == 1 for x in names)
        pair = re.compile("|".join(rf"\(?{between.join(x)}\)?" for x in (rest, rest[::-1])), re.IGNORECASE)
        if any(map(pair.fullmatch, texts)) and (not sides or any(x.lower() == odd.lower() for x in sides)):
            found.append(k)
    return found[0] if len(found) == 1 else None
