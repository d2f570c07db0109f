"""What the cells of answers mean: labels, positions, letters, keys, names of columns, yes and no, votes, no answer.

The readers of answers and comparisons ask `positions_said`, which item of its row each answer names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any

import numpy as np

from tripletree.core.answers import ALIKE, DIFFERENT
from tripletree.core.labels import gap_words, is_gap
from tripletree.io.headers import VoteColumns, is_known_beside, vote_columns
from tripletree.io.wording import LONGEST_QUESTION, odd_in
from tripletree.tables.cells import YES_NO, column_word, is_no_answer, with_point
from tripletree.tables.columns import COUNT, SIDES, plain, words_of
from tripletree.tables.rows import shown_names

#: Answers about three items that name no item.
WORDS = {
    **dict.fromkeys(("alike", "all_alike", "same"), ALIKE),
    **dict.fromkeys(("different", "all_different"), DIFFERENT),
}
#: Keys in the left and in the right half of each keyboard, and arrows and numbers of keys as browsers count them.
_LEFT_KEYS, _RIGHT_KEYS = frozenset("qweasdfzxcv"), frozenset("uiopjklm") | {"/", "slash"}
_KEYS = {"37": "left", "38": "up", "39": "right", "40": "down", "70": "f", "74": "j", "49": "1", "50": "2", "51": "3"}
_KEYS |= {"←": "left", "→": "right", "↑": "up", "↓": "down"}
_KEY_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
#: Up to 6 unknown words beside known answers may stand for no answer.
_FEW_WORDS = 6
#: Columns of a few numbers.
_LEVELS = frozenset(
    {"condition", "cond", "group", "confidence", "conf", "rating", "version", "level", "age", "sure"}
    | {"difficulty", "task"}
)


def answers_beside(
    name: str, cells: Sequence[str | None], rows: Sequence[Sequence[str]], columns: Sequence[str]
) -> tuple[str, str] | None:
    """Whether a column names one of the three of each row, and not always the last.

    Returns
    -------
    how : str
        What it does, for messages.
    cure : str
        What else `read_answers` then needs.
    """
    if is_known_beside(name) or plain(name) in COUNT.names:
        return None
    said = [(x, row) for x, row in zip(cells, rows, strict=True) if not is_no_answer(x) and None not in row]
    if not said or 2 * len(said) < len(rows):
        return None
    if all(x in row for x, row in said):
        return ("repeats one", "") if any(x != row[2] for x, row in said) else None
    words = {code_word(str(x)) for x, _ in said}
    if all(_is_whole(str(x)) for x, _ in said):
        odd = _odd_by({str(x) for x, _ in said}, columns, whole=True) or {}
        thirds = [odd.get(str(x), odd_in(str(x), row, whole=True)) for x, row in said]
        return ("names one", "") if None not in thirds and {*thirds} != {2} else None
    names = {column_word(x): k for k, x in enumerate(columns)}
    for codes in ({*"123"}, {*"012"}, {*"abc"}, {*names}):
        if words <= codes and ("2" in words or len(words) > 1 or codes != {*"012"}) and words != {"0", "1"}:
            if plain(name) in _LEVELS:
                return None
            last = {"3"} if codes == {*"123"} else {"c"} if codes == {*"abc"} else {column_word(columns[2])}
            zero = ", first=0" if codes == {*"012"} and "0" not in words else ""
            return None if words == last else ("names one", zero)
    whole = _codes_of_two({str(x) for x, _ in said}, columns)
    if whole is None:
        return None
    return "names two", f", codes={whole!r}"


def _odd_by(texts: Collection[str], columns: Sequence[str | None], *, whole: bool = False) -> dict[str, int] | None:
    """The place of the odd one by each code that names the two others by letters, numbers or names of columns."""
    for names in (["a", "b", "c"], ["1", "2", "3"], [None if x is None else column_word(x) for x in columns]):
        odd: dict[str, int] = {}
        for x in texts:
            at = odd_in(x, names, whole=whole)
            if at is None:
                break
            odd[x] = at
        if odd and len(odd) == len(texts):
            return odd
    return None


def _codes_of_two(texts: Collection[str], columns: Sequence[str | None]) -> list[str] | None:
    """The codes for the three columns, of answers that name two of three: 23, 13 and 12. One may be without answers."""
    odd = _odd_by(texts, columns)
    if odd is None or len({*odd.values()}) < len(odd) or len(odd) < 2:
        return None
    by = {k: x for x, k in odd.items()}
    like, at = next(iter(odd.items()))
    families = (["a", "b", "c"], ["1", "2", "3"], [column_word(x or "") for x in columns])
    names = next(x for x in families if odd_in(like, x) is not None)
    for k in {0, 1, 2} - by.keys():  # written like another one
        new = names[at].upper() if like[:1].isupper() else names[at]
        by[k] = re.sub(re.escape(names[k]), new, like, flags=re.IGNORECASE)
    return [by[k] for k in range(3)]


def is_count(text: str | None) -> bool:
    """True for a whole number of at least 0."""
    return text is not None and re.fullmatch(r"\d{1,9}(?:[.,]0+)?", text) is not None


def rises(cells: Sequence[str | None], *, by_one: bool = False) -> bool:
    """True if cells may be numbers of rows: they rise, perhaps `by_one`, or begin again with 0 or 1."""
    numbers = [float(with_point(str(x))) if is_count(x) else -1.0 for x in cells]
    steps = [*pairwise(numbers)]
    again = [b in (0, 1) and b != a + 1 for a, b in steps]
    if min(numbers, default=-1) < 0 or (by_one and (numbers[0] > 1 or 2 * sum(again) > len(numbers))):
        return False
    return all(x or (b == a + 1 if by_one else b > a) for x, (a, b) in zip(again, steps, strict=True))


def votes_in(columns: Mapping[str, Sequence[str | None]], items: Sequence[str] = ()) -> VoteColumns | None:
    """The votes for each item in columns of counts, or of yes and no with a yes in one of them in each row."""
    for found in vote_columns([*items, *columns]):
        if not {*found.columns} <= columns.keys() or found.stem in columns:
            continue
        flags = [yes_or_no(columns[x]) for x in found.columns]
        known = [x for x in flags if x is not None]
        yes = np.array(known).T == 1 if len(known) == len(flags) else None
        if yes is not None and len(flags) == 3 and (yes.sum(axis=1) <= 1).all():
            counts = yes.astype(np.int64)
        elif (
            found.stem
            and found.items
            and all(is_count(x) or is_no_answer(x) for y in found.columns for x in columns[y])
        ):
            cells = [[int(float(with_point(str(x)))) if is_count(x) else 0 for x in columns[y]] for y in found.columns]
            counts = np.array(cells, np.int64).T
        else:
            continue
        if counts.any():
            return found._replace(stem=found.stem or "answer", votes=counts)
    return None


def yes_or_no(said: Sequence[str | None], missing: Any = None) -> np.ndarray | None:
    """Return 1 for each yes, 0 for no and -1 for no answer. None if an answer is something else, or all are missing."""
    is_silent, meant = says_nothing(missing), {}
    for x in {*said}:
        meant[x] = -1 if x is None else YES_NO.get(code_word(x), -1 if is_silent(x) else -2)
        if meant[x] == -2:
            return None
    return np.array([meant[x] for x in said], np.int8) if max(meant.values(), default=-1) >= 0 else None


def check_codes(codes: Any, widths: Sequence[int]) -> None:
    """Raise a ValueError if codes are not as many different answers as there are columns."""
    if codes is not None and (
        isinstance(codes, str) or len(codes) not in widths or len({code_word(str(x)) for x in codes}) < len(codes)
    ):
        msg = f"codes must be {widths[0]} different answers, for the columns in their order, not {codes!r}"
        raise ValueError(msg)


def positions_said(
    said: Sequence[str | None],
    rows: Sequence[Sequence[str | None]],
    columns: Sequence[str | None],
    *,
    missing: Any = None,
    first: int | None = None,
    codes: Sequence[Any] | None = None,
    words: Mapping[str, int] | None = None,
) -> tuple[np.ndarray, str]:
    """Return which item of its row each answer names: its position, -1 for no answer, -2 for another label.

    Parameters
    ----------
    said : sequence of (str or None)
    rows : sequence of sequence of str
        The items.
    columns : sequence of (str or None)
        Names of the items' columns, None if they have no names.
    missing : value or collection of values, optional
        Answers that are none.
    first : {0, 1}, optional
        The number of the first position. By default 1, unless an answer is 0.
    codes : sequence, optional
        The answers that stand for each position.
    words : mapping, optional
        Other answers, with their numbers.

    Returns
    -------
    positions : ndarray of int8
    how : str
        "labels", or how the answers name items.
    """
    is_silent, other = says_nothing(missing), words or {}
    width = max(map(len, rows), default=0)
    silent = {x: is_silent(x) for x in {*said}}
    code = {x: code_word(str(x)) for x in silent}
    if first is not None and codes is None:  # positions, though they may be labels, too
        places = {str(k + first): k for k in range(width)}
        if all(no or code[x] in places for x, no in silent.items()):
            return np.array([-1 if silent[x] else places[code[x]] for x in said], np.int8), f"positions from {first}"
    given = {} if codes is None else {code_word(str(x)): k for k, x in enumerate(codes)}
    as_given = {x: given[word] for x, word in code.items() if x is not None and word in given}
    no_item = {x: -1 if no else other.get(column_word(str(x)), -2) for x, no in silent.items()}
    places_said = [
        as_given[x] if x in as_given else row.index(x) if x is not None and x in row else no_item[x]
        for x, row in zip(said, rows, strict=True)
    ]
    found = np.array(places_said, np.int8)
    if given:
        return found, "codes as given"
    if not (found == -2).any():
        return found, "labels"
    coded = np.flatnonzero((found == -2) | ((found >= 0) & (found < width))).tolist()
    texts = {str(said[k]) for k in coded}
    labels = {x for row in rows for x in row}
    apart = labels.isdisjoint(str(said[k]) for k in np.flatnonzero(found == -2).tolist())
    for how, places in _codes(columns, width, first, {code[x] for x in texts}, apart):
        if all(code[x] in places for x in texts):
            found[coded] = [places[code[said[k]]] for k in coded]
            return found, how
    if width == 3 and not (found >= 0).any():
        is_whole = all(map(_is_whole, texts))
        odd = (_odd_by(texts, columns, whole=True) if is_whole else None) or {}
        thirds = (odd.get(str(said[k]), odd_in(str(said[k]), rows[k]) if len(rows[k]) == 3 else None) for k in coded)
        known = [*takewhile(lambda x: x is not None, thirds)]
        if len(known) == len(coded):
            found[coded] = np.array(known)
            return found, WHOLE if is_whole else TWO
    otherwise = None
    for written, how in ((_plain_text, "labels, written otherwise"), (_stem, "names of files")):
        shown = {k: ([written(str(x)) for x in rows[k]], written(str(said[k]))) for k in coded}
        at = {k: row.index(x) for k, (row, x) in shown.items() if row.count(x) == 1}
        if len(at) == len(coded):
            found[coded] = [*at.values()]
            return found, how
        otherwise = at if otherwise is None else otherwise
    for k, place in (otherwise or {}).items():  # then only the others are unknown
        found[k] = place
    return found, "labels"


#: How answers name items that are two of three labels, and all three.
TWO, WHOLE = "the two that are alike", "the two that are alike and the odd one"


def _is_whole(text: str) -> bool:
    return text.count("|") == 1 or "(" in text


def fits_positions(said: Sequence[str | None], rows: Sequence[Sequence[str | None]], found: np.ndarray) -> list[int]:
    """Where positions count from, if answers that are labels may as well be positions of other items."""
    asked = {(code_word(str(x)), k) for x, k in {*zip(said, found.tolist(), strict=True)} if k >= 0}
    width = max(map(len, rows), default=0)
    starts = [k for k in (0, 1) if {x for x, _ in asked} <= {str(j + k) for j in range(width)}]
    return [start for start in starts if any(x != str(k + start) for x, k in asked)]


def says_nothing(missing: Any) -> Callable[[str | None], bool]:
    """The test whether a cell says nothing, or, if they are given, one of the values that are `missing`."""
    if missing is None:
        return is_no_answer
    gaps = gap_words(missing)
    return lambda x: x is None or is_gap(x, gaps)


def code_word(text: str) -> str:
    """An answer as a code: 3.0 and 3,0 are 3, and -1 is not 1."""
    word = re.sub(r"[.,]0+$", "", column_word(text))
    return f"-{word[1:]}" if re.fullmatch(r"_\d+", word) and "-" in text else word


def _plain_text(text: str) -> str:
    """A text without blanks around it, in lower case."""
    return re.sub(r"\s+", " ", text.strip().lower())


def _codes(
    columns: Sequence[str | None], width: int, first: int | None, words: set[str], apart: bool
) -> Iterable[tuple[str, dict[str, int]]]:
    """The ways to name one of the columns. `apart`: whether no answer that is not in its row is a label elsewhere."""
    start = first if first is not None else int("0" in words) ^ 1
    yield f"positions from {start}", {str(k + start): k for k in range(width)}
    names = [column_word(x or "") for x in columns[-width:]]
    yield "names of columns", {x: k for k, x in enumerate(names) if x}
    keys = {x: key_word(x) for x in words}
    sides = [{SIDES.get(y, y) for y in words_of(x or "").split("_")} for x in columns[-width:]]
    lines = (("left", "middle", "right"), ("left", "up", "right"), ("left", "down", "right"))
    across = [x[:: 2 if width == 2 else 1] for x in lines[: 1 if width == 2 else 3]]
    for ends in (("a", "b", "c")[:width], across[0], ("up", "down") if width == 2 else ("up", "middle", "down")):
        own = [next((k for k, x in enumerate(sides) if end in x), -1) for end in ends]
        if -1 not in own and len(set(own)) == width:
            places = dict(zip(ends, own, strict=True))
            yield "names of columns", _of_keys(keys, places)
            initials = {
                y[0]: k for k, x in enumerate(columns[-width:]) for y in words_of(x or "").split("_") if y in SIDES
            }
            if len(initials) == width:
                yield "letters", initials
            if "left" in ends:
                yield from _of_halves(keys, own)
    if width == 2 and first is None and words <= {"2", "3"} and "3" in words:
        yield "positions from 1, with the anchor", {"2": 0, "3": 1}
    for ends in (("a", "b", "c"), *across, ("1", "2", "3")):
        what = "letters" if ends[0] == "a" else "numbers" if ends[0] == "1" else "words"
        yield what, _of_keys(keys, {x: k for k, x in enumerate(ends[:width])})
    numbers = {x: re.fullmatch(r"\{?(?:([a-z][a-z_]*?)[ _-]*)?0*([0-9])\}?", x[:LONGEST_QUESTION]) for x in words}
    if apart and all(numbers.values()) and len({x[1] for x in numbers.values() if x}) == 1:
        start = first if first is not None else int("0" in {x[2] for x in numbers.values() if x}) ^ 1
        yield (
            f"positions from {start}",
            {word: int(x[2]) - start for word, x in numbers.items() if x and 0 <= int(x[2]) - start < width},
        )


def _of_keys(keys: Mapping[str, str], places: Mapping[str, int]) -> dict[str, int]:
    """Return the answers that are called so, or keys of the same names."""
    return {**{x: places[y] for x, y in keys.items() if y in places}, **places}


def _of_halves(keys: Mapping[str, str], own: Sequence[int]) -> Iterable[tuple[str, dict[str, int]]]:
    """Keys for columns called left and right: one in each half of the keyboard, or three in one of its rows."""
    if len(own) == 3:
        row = next((x for x in _KEY_ROWS if {*keys.values()} <= {*x}), "")
        if row and len(keys) == 3:
            order = sorted(keys, key=lambda x: row.index(keys[x]))
            yield (
                f"the keys {', '.join(keys[x] for x in order)}, from left to right",
                dict(zip(order, own, strict=True)),
            )
        return
    left, right = ({x for x, y in keys.items() if y in half} for half in (_LEFT_KEYS, _RIGHT_KEYS))
    if len(left) <= 1 and len(right) <= 1 and len(left) + len(right) == len(keys):
        said = [repr(keys[x]) for x in (*left, *right)]
        yield (
            f"the keys {' and '.join(said)}, left and right on the keyboard",
            {**dict.fromkeys(left, own[0]), **dict.fromkeys(right, own[1])},
        )


def key_word(word: str) -> str:
    """The key that an answer names, as left for ArrowLeft, {LEFTARROW} and 37, else the answer."""
    bare = re.sub(r"arrow|key(?!s)|[{}_]|num(?=\d)", "", word)
    return SIDES.get(bare) or _KEYS.get(bare) or bare


def _stem(text: str) -> str:
    """The name of a file without its folders and ending, in lower case."""
    return re.sub(
        r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|wav|mp3|mp4|ogg)$", "", re.split(r"[\\/]", text.strip().lower())[-1]
    )


def unknown_answers(
    said: Sequence[str | None], found: np.ndarray, names: Sequence[str | None], width: int, command: str
) -> str:
    """Say what to do about unknown answers: take a single one for no answer, else tell what they mean.

    `command` reads the table, without the bracket at its end.
    """
    wrong = sorted({str(said[k]) for k in np.flatnonzero(found == -2).tolist()}, key=_place_of_key)
    none = _answers_that_are_none(wrong, width, labels=bool((found >= 0).any()))
    if none:  # with the known words, which count no longer if some are given
        none += sorted({x.strip() for x, k in zip(said, found.tolist(), strict=True) if k == -1 and x and x.strip()})
        stand = f"if {'it stands' if len(none) == 1 else 'these stand'} for no answer"
        return f"; {stand}: {command}, missing={none!r})"
    if width == 3 and (way := _codes_of_two(wrong, names)) is not None:
        return f"; if each names the two that are alike, so that the third is odd: {command}, codes={way!r})"
    if len(wrong) == width:
        ways = [wrong, wrong[::-1]] if width == 2 else [wrong]
        shown = []
        for way in ways:
            means = ", ".join(f"{x!r} is {name!r}" for x, name in zip(way, names, strict=True))
            shown.append(f"if {means}: {command}, codes={way!r})")
        return f"; {'; '.join(shown)}" + ("" if width == 2 else ", or in the order in which they are meant")
    rows = [x for x in _KEY_ROWS if {*wrong} <= {*x}] if width == 3 and len(wrong) == 2 else []
    keys = [[*x[k : k + 3]] for x in rows for k in range(len(x) - 2) if {*wrong} <= {*x[k : k + 3]}]
    if keys:
        return "; " + "; ".join(f"for the keys {', '.join(x)}: {command}, codes={x!r})" for x in keys)
    few = shown_names(wrong, 6)
    columns = f", or the name of a column ({shown_names(names)})" if all(names) else ""
    letters, numbers = ("A, B or C", "1, 2 or 3") if width == 3 else ("A or B", "1 or 2")
    return (
        f"; {few} {'is' if len(wrong) == 1 else 'are'} not known here: write the item that each stands for, as its "
        f"label, its position ({numbers}), {letters}{columns}, or tell with codes= which answers stand for the columns"
    )


def _answers_that_are_none(wrong: Sequence[str], width: int, *, labels: bool) -> list[str]:
    """Return the unknown answers that may mean no answer: words beside labels, or texts beside positions."""
    keys = len(wrong) > 1 and any(len(x) == 1 and x.isalpha() for x in wrong)
    if labels:
        return [*wrong] if len(wrong) <= _FEW_WORDS and not keys else []
    best: list[str] = []
    if {*map(code_word, wrong)} == {"-1", "1"} or sum(is_count(x) and float(x) > width for x in wrong) > 1:
        return []  # left and right of a scale, or degrees
    for codes in ([*"123"[:width]], [*"012"[:width]], [*"abc"[:width]]):
        rest = [x for x in wrong if code_word(x) not in codes]
        if (
            len(wrong) - len(rest) > (codes[0] == "a")
            and (not best or len(rest) < len(best))
            and len(rest) <= _FEW_WORDS
        ):
            best = rest
    return best


def _place_of_key(key: str) -> tuple[int, str]:
    """The place of a key on the keyboard, from the left. Other answers go by the alphabet."""
    at = "qazwsxedcrfvtgbyhnujmikolp".find(key.lower()) if len(key) == 1 else -1
    return (13 if key.strip().lower() in ("space", "") else at), key


def without_answer(said: Iterable[str | None], missing: Any = None) -> Iterator[bool]:
    """Whether each cell says nothing. "unsure" in this word is an answer."""
    is_silent = says_nothing(missing)
    return (is_silent(x) and (missing is not None or column_word(x or "") != "unsure") for x in said)
