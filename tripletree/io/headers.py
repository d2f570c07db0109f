"""What the names of the columns of a table of judgements tell: which is compared with which, who chose what, how often.

Nothing here looks at a cell: `tripletree.io.readings` does, and decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tripletree.io.forms import bare_names
from tripletree.io.wording import asks_for_far, compares, name_of_items, names_items, odd_in
from tripletree.tables.columns import (
    ANCHOR,
    ANSWER,
    LINK_KINDS,
    NEAR_FAR,
    ODD,
    REPLY,
    SECONDS,
    SIDES,
    WHEN,
    WHO,
    asides,
    is_aside,
    is_called_id,
    is_sure_anchor,
    option_pairs,
    plain,
    series_of,
    stem_of,
    words_of,
)

#: What else is in the names of columns that say whether one option was chosen.
_CHOSEN = frozenset(
    {"chose", "chosen", "choose", "chooses", "pick", "picks", "picked", "select", "selects", "selected", "prefer"}
    | {"prefers", "preferred", "took", "taken", "clicked", "is", "was", "the", "closer", "nearer", "closest", "nearest"}
    | {"more", "most", "similar", "alike", "won", "wins"}
)
#: Names of columns that hold the less alike of two.
_FAR = re.compile(
    r"(?:^|_)(?:odd|out|outgroup|far|farther|farthest|further|furthest|different|outlier|dissimilar|unchosen|rejected)(?:_|$)"
    r"|(?:less|least|not)_(?:similar|alike|like|close|near|related|match)|(?:does_not|doesnt|doesn_t)_(?:match|fit|belong)"
)
#: Names of columns that hold what is alike, which is never the odd one.
_NEAR = re.compile(
    r"(?:^|_)(?:central|similar|alike|closest|nearest|closer|nearer|best|liked?|preferred|same|match)(?:_|$)"
)


def says_far(name: str) -> bool:
    """True if the answers in a column of this name are the less alike of two: odd, farther, least_similar."""
    return bool(ODD.among([name])) or _FAR.search(words_of(name)) is not None


def says_near(name: str) -> bool:
    """True if the answers in a column of this name are the more alike: similar, closest, most_alike."""
    return _NEAR.search(words_of(name)) is not None and not says_far(name)


#: Names of columns that tell what a row of a long table holds, and of the column that holds it.
EVENTS = frozenset(
    {"event", "eventtype", "variable", "field", "key", "what", "attribute", "type", "parameter", "measure"}
)
VALUES = frozenset({"value", "val", "content", "data", "wert", "valeur", "valor"})


def tells_events(names: Sequence[str]) -> bool:
    """True for the header of a table with a row an event: event and value, or the like."""
    words = [*map(plain, names)]
    return sum(x in EVENTS for x in words) == 1 == sum(x in VALUES for x in words) and len(names) > 2


def options_beside(names: Sequence[str]) -> tuple[int, list[int], int] | None:
    """The places of an anchor, of three options or more that are compared with it, and of the answer."""
    known = asides(names, counts=True)
    replies = [k for k, x in enumerate(names) if k not in known and (ANSWER.among([x]) or says_near(x))]
    anchors = [k for k, x in enumerate(names) if k not in known and is_sure_anchor(x)]
    stems: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        if k not in known and k not in replies and k not in anchors:
            stems.setdefault(stem_of(name), []).append(k)
    options = [x for x in stems.values() if len(x) > 2]
    return (anchors[0], options[0], replies[0]) if len(replies) == len(anchors) == len(options) == 1 else None


class Comparison(NamedTuple):
    """The columns of comparisons with an anchor."""

    anchor: int
    first: int
    """One of the two that are compared with the anchor, the nearer one if `answer` is None."""
    second: int
    answer: int | None


def comparisons_by_name(names: Sequence[str], others: set[int], answer: int | None = None) -> list[Comparison]:
    """The columns that are called like an anchor and two that are compared with it."""
    at = {x: k for k, x in enumerate(names)}
    called = {plain(x) for k, x in enumerate(names) if k not in others}
    both = {x for pair in NEAR_FAR if {*pair} <= called for x in pair}
    told = [answer] if answer is not None else [at[x] for x in [*ANSWER.among(names), *ODD.among(names)]]
    told = [k for k in told if k == answer or plain(names[k]) not in both]
    if answer is None:
        told += [k for k in _flags_of_options(names, others) if k not in told]
        if not told and not both:
            told = [k for k, x in enumerate(names) if k not in others and (says_far(x) or says_near(x))]
    free = [k for k in range(len(names)) if k not in others and k not in told]
    words = {plain(names[k]): k for k in free}
    coordinates = {"x", "y", "z"} <= words.keys()  # three items alike
    anchors = [k for k in free if ANCHOR.calls(names[k]) and not (coordinates and names[k].lower() == "x")]
    found = []
    for near, far in NEAR_FAR:
        if near in words and far in words:
            rest = [k for k in free if k not in (words[near], words[far])]
            found += [Comparison(k, words[near], words[far], None) for k in anchors if k in rest] or (
                [Comparison(rest[0], words[near], words[far], None)] if len(rest) == 1 else []
            )
    pairs = [(at[x], at[y]) for x, y in option_pairs([names[k] for k in free])]
    if len(free) == 3 and len(anchors) == 1:
        pairs.append(tuple(k for k in free if k != anchors[0]))  # type: ignore[arg-type]
    for one in told:
        for x, y in pairs:
            rest = [k for k in free if k not in (x, y)]
            heads = [k for k in anchors if k in rest] or (rest if len(rest) == 1 else [])
            found += [Comparison(k, x, y, one) for k in heads]
    return list(dict.fromkeys(found))


def _flags_of_options(names: Sequence[str], others: set[int]) -> list[int]:
    """The columns that are called like a yes to one of two options."""
    rest = [k for k in range(len(names)) if k not in others]
    pairs = option_pairs([names[k] for k in rest])
    return [k for k in rest if any(names[k] not in x and chosen_option(names[k], x) is not None for x in pairs)]


def chosen_option(name: str, options: Sequence[str | None]) -> int | None:
    """Which of two options a yes is, by the column's name: ``chose_left``, ``is_first``, ``b_picked``. None if open."""
    words = words_of(name).split("_")
    bare = [*words]
    while bare and bare[0] in _CHOSEN:
        bare.pop(0)
    while bare and bare[-1] in _CHOSEN:
        bare.pop()
    if len(bare) in (0, len(words)):
        return None
    said = _side_words("_".join(bare))
    sides = [_side_words(x or "") for x in options]
    found = [k for k in range(2) if said == sides[k]]
    found = found or [k for k in range(2) if len(said) == 1 and said[0] in sides[k] and said[0] not in sides[1 - k]]
    if not found and not {"1", "2"} & {*sides[0], *sides[1]}:
        found = [k for k in range(2) if said == [str(k + 1)]]
    return found[0] if len(found) == 1 else None


def _side_words(name: str) -> list[str]:
    return [SIDES.get(x, x) for x in re.findall(r"[0-9]+|[^\W\d_]+", words_of(name))]


def trio_by_name(names: Sequence[str]) -> tuple[str, str, str] | None:
    """The columns a, b and c of ab|c in a header that calls c the odd one, or two alike and c unlike. Else None."""
    known = asides(names, counts=True)
    free = [x for k, x in enumerate(names) if k not in known and (plain(x) in ODD.names or not is_aside(x))]
    called = {plain(x) for x in free}
    anchors = [x for x in ANCHOR.among(free) if plain(x) != "x" or "y" not in called]
    if len(free) != 3 or anchors or any({*x} <= called for x in NEAR_FAR):
        return None
    odd = [x for x in free if says_far(x) or asks_for_far(words_of(x).replace("_", " "))]
    rest = [x for x in free if x not in odd]
    if len(odd) != 1 or not (ODD.among(odd) or option_pairs(rest)):
        return None
    return rest[0], rest[1], odd[0]


#: Columns beside three items that tell no odd one, if nothing but numbers are in them.
_NUMBERED = frozenset({"trial", "block", "session", "run", "round", "order", "list", "set", "part", "phase", "batch"})


def is_known_beside(name: str) -> bool:
    """True if a column beside triplets is known to tell no odd one: people, times, ids, numbers of trials."""
    words = words_of(name)
    if plain(name) in REPLY.names:
        return False
    known = (*WHO.names, *WHEN.names, *SECONDS.names, "rt")
    return (
        plain(name) in known
        or is_called_id(name)
        or re.sub(r"_?(?:no|nr|num|number|index|id)$", "", words) in _NUMBERED
    )


class VoteColumns(NamedTuple):
    """Columns of votes for two or three items."""

    stem: str
    """What they have in common: what the column of answers is called that they stand for."""
    columns: list[str]
    items: list[str]
    """The columns of the items, none if the header does not have them."""
    votes: np.ndarray
    """How often each item was chosen in each row."""


#: The ends of names of columns for several items, in their order, and what columns of votes are called besides.
_ENDS = (("1", "2", "3"), ("a", "b", "c"), ("left", "middle", "right"), ("1", "2"), ("a", "b"), ("left", "right"))
_VOTES = frozenset({"n", "vote", "votes", "numvotes", "nvotes", "num", "count", "counts", "freq", "frequency", "picks"})
_VOTES |= {"stimmen", "anzahl", "chosen", "votos", "voix", "voti", "stemmen"}


def vote_columns(names: Sequence[str]) -> list[VoteColumns]:
    """Columns that may be of votes for items, as they are called alike and end so: votes_a, votes_b, votes_c.

    The best names come first. `stem` is "" if they are not called votes or answers.
    """
    stems = series_of(names, {x for ends in _ENDS for x in ends})
    found = []
    for stem, ends in stems.items():
        order = next((x for x in _ENDS if {*x} == {*ends}), None)
        if order is None or not any(stem):
            continue
        others = [x for x in stems if x != stem and stems[x].keys() == ends.keys()]
        others.sort(key=lambda x: not {*x} - {"id"} <= {*stem})  # clip1_id of clip1_votes
        rest = [x for x in stem if x and not (others and x in others[0])] or [x for x in stem if x]
        reply = next((x for x in ("".join(rest), rest[-1]) if REPLY.among([x])), None)
        called = reply or "answer" * (not _VOTES.isdisjoint(rest))
        items = [stems[others[0]][x] for x in order] if others else []
        found.append(VoteColumns(called, [ends[x] for x in order], items, np.zeros((0, len(order)), np.int64)))
    at = {x.strip().lower(): x for x in names}
    splits = split_columns(names, [at[x] for x in "abc" if x in at], whole=True)
    if splits:
        found.append(VoteColumns("answer", splits, [at[x] for x in "abc"], np.zeros((0, 3), np.int64)))
    return sorted(found, key=lambda x: not x.stem)


def split_columns(names: Sequence[str], trio: Sequence[str], *, whole: bool = False) -> list[str]:
    """The columns that are called like the three triplets on a, b and c: BC_A, AC_B, AB_C, or else bc, ac, ab."""
    odd = {x: odd_in(re.sub("_+", "|", x.strip()), trio, whole=whole) for x in names if x not in trio}
    found = sorted((k, x) for x, k in odd.items() if k is not None)
    return [x for _, x in found] if [k for k, _ in found] == [0, 1, 2] else []


def are_voted(names: Sequence[str]) -> bool:
    """True if a header has columns that are called votes for items that it has, too."""
    return any(x.stem and x.items for x in vote_columns(names))


def is_header_of_comparisons(names: Sequence[str]) -> bool:
    """True if a header tells what is compared with what."""
    names = bare_names(names)
    if any(map(compares, names)) or options_beside(names) is not None:
        return True
    return len(names) > 2 and bool(comparisons_by_name(names, asides(names, counts=True)))


#: A longer name of a column is not a word for an answer.
_LONGEST = 100


def has_answers(names: Sequence[str]) -> bool:
    """True if a header names an answer, perhaps once for each of several questions, or compares two with a third."""
    ends = (r"^\D{0,9}\d+[._ -]*", r"[._ -]*\d+$", r"[._ -]+[a-cA-C]$")
    bare = [re.sub(pattern, "", x) for x in names if len(x) <= _LONGEST for pattern in ends]
    in_names = any(map(names_items, names)) or (bool(WHO.among(names)) and any(map(name_of_items, names)))
    linked = len(option_pairs(names)) == 1 and any(plain(x) in LINK_KINDS for x in names)
    others = is_header_of_comparisons(names) or tells_events(names) or trio_by_name(names) or are_voted(names) or linked
    return bool(REPLY.among([*names, *bare])) or in_names or bool(others)
