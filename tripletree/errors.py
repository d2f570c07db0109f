"""The exceptions of the package, and `warn_user`.

All derive from `TripletreeError` and from the builtin exception that fits (a ParseError is a ValueError), and carry the
offending data as attributes. Input is checked once, when a value is constructed or an estimator is fitted. They tell of
data. A wrong argument (``k=-1``, ``rule="nonsense"``) is a plain ValueError or TypeError.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

__all__ = [
    "ClusterCountError",
    "DuplicateLeafError",
    "GuessedLabelWarning",
    "InconsistentPairsError",
    "InconsistentTripletsError",
    "InfeasibleClusteringError",
    "InvalidAnswerError",
    "InvalidHierarchyError",
    "InvalidLabelsError",
    "InvalidPairError",
    "InvalidTimesError",
    "InvalidTripletError",
    "LimitExceededError",
    "MissingDependencyError",
    "NotATreeError",
    "ParseError",
    "TimeLimitError",
    "TripletreeError",
    "UnknownLeafError",
    "UnknownOptionError",
    "UnknownSampleError",
    "UnknownTripletError",
]


#: How many offenders a message spells out. The exception's attributes carry all of them.
SHOWN = 20

_QUOTES = frozenset("'\"")
#: Control characters, and characters that reverse the direction of text. Tabs and line ends stay.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


#: A quoted label or a word that is too long to be read.
_LONG = re.compile(r"""(?<!\w)'[^'\n]{200,}'(?!\w)|(?<!\w)"[^"\n]{200,}"(?!\w)|[^\s'"]{400,}""")


def shortened(text: str) -> str:
    """Cut quoted labels and words of hundreds of characters in a message.

    >>> shortened(f"the label {'x' * 5000!r} stands twice").count("x")
    100
    """
    return _LONG.sub(lambda match: f"{match[0][:101]}...{match[0][-1] if match[0][-1] in _QUOTES else ''}", text)


def escaped_controls(text: str) -> str:
    r"""Replace control characters by their escapes, so that no content of a file can control the terminal.

    >>> print(escaped_controls("a\x1b]0;b"))
    a\x1b]0;b
    """
    return CONTROLS.sub(lambda match: repr(match[0])[1:-1], text)


class TripletreeError(Exception):
    """Base class of the errors that tell what is wrong with data.

    Messages quote labels and lines of files, so control characters in them are escaped, and long ones cut.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*(escaped_controls(shortened(x)) if isinstance(x, str) else x for x in args))

    def __reduce__(self) -> Any:
        # constructors take data, not the message, so pickle must not call them again
        return _unpickled, (type(self), self.args, self.__dict__)


def _unpickled(kind: type[TripletreeError], args: tuple, data: dict) -> TripletreeError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(data)
    return error


class InvalidTripletError(TripletreeError, ValueError):
    """A row that is not a triplet: wrong shape, a leaf twice, an index out of range.

    Attributes
    ----------
    row : int or None
        The first offending row, counted from 0.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class InvalidAnswerError(TripletreeError, ValueError):
    """An answer that does not fit its question: an odd one that was not shown, an item twice, an unknown kind.

    Attributes
    ----------
    row : int or None
        The first offending answer, counted from 0. None if there is only one.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class InvalidHierarchyError(TripletreeError, ValueError):
    """A parent array that is not a hierarchy: a cycle, several roots, an inner node without children.

    Attributes
    ----------
    node : int or None
        The offending node, as numbered by the caller.
    """

    def __init__(self, message: str, *, node: int | None = None) -> None:
        super().__init__(message)
        self.node = node


class NotATreeError(TripletreeError, ValueError):
    """A term with several parents where a tree is needed. The user has to choose one of them.

    Attributes
    ----------
    node : hashable
        The first such term.
    parents : list
        All of its parents.
    """

    def __init__(self, message: str, *, node: Hashable, parents: Sequence[Hashable]) -> None:
        super().__init__(message)
        self.node, self.parents = node, list(parents)


class DuplicateLeafError(TripletreeError, ValueError):
    """A leaf label that occurs more than once.

    Attributes
    ----------
    labels : list
        Every repeated label, once each.
    """

    def __init__(self, labels: Sequence[Hashable], *, where: str = "") -> None:
        shown = ", ".join(repr(x) for x in labels[:SHOWN]) + (", ..." if len(labels) > SHOWN else "")
        noun = "label occurs" if len(labels) == 1 else "labels occur"
        super().__init__(
            f"{len(labels)} leaf {noun} more than once{where}: {shown}; every leaf needs a label of its own"
        )
        self.labels = list(labels)


class UnknownLeafError(TripletreeError, LookupError):
    """Labels that are not in the leaf index.

    Attributes
    ----------
    labels : list
        Every unknown label, once each.
    suggestions : dict
        The nearest known labels of unknown strings. For a number, its digits as text if that is a label, and the
        reverse.
    """

    def __init__(
        self,
        labels: Sequence[Hashable],
        known: Sequence[Hashable],
        *,
        what: str = "leaves",
        notes: Mapping[Hashable, str] | None = None,
        hint: str = "",
    ) -> None:
        # `notes` explain some of the labels and replace their suggestions. `hint` is advice
        self.labels = list(labels)
        plain = [x for x in self.labels[:SHOWN] if x not in (notes or {})]
        twins = _twins_of(plain, known)
        self.suggestions = {**_near_names([x for x in plain if x not in twins], known), **twins}
        parts = []
        for label in self.labels[:SHOWN]:
            near, note = self.suggestions.get(label), (notes or {}).get(label, "")
            if near:
                note = f"did you mean {' or '.join(map(repr, near))}?"
            if label in twins and str(twins[label][0]) == str(label):
                note += f" labels are {'numbers' if isinstance(label, str) else 'text'} here"
            elif label in twins:
                note += " the zeros in front differ"
            parts.append(f"{label!r} ({note})" if note else repr(label))
        more = f" and {len(self.labels) - SHOWN} more" if len(self.labels) > SHOWN else ""
        examples = ", ".join(repr(x) for x in list(known[:3])) + (", ..." if len(known) > 3 else "")
        known_text = {0: "none is known", 1: "the only known one is"}.get(
            len(known), f"the {len(known)} known ones are"
        )
        super().__init__(
            f"{len(self.labels)} unknown among the {what}: {', '.join(parts)}{more}; {hint and hint + '; '}"
            + f"{known_text} {examples}".rstrip()
        )


_DIGITS = re.compile(r"\d")
_NUMBER = re.compile(r"-?[0-9]{1,18}")


def _twins_of(labels: Sequence[Hashable], known: Sequence[Hashable]) -> dict[Any, list]:
    """Labels that are known as the other type, 12 for the text "12" and the reverse, or with other zeros: "0012"."""
    asked = {x: y for x in labels if (y := without_zeros(x)) is not None}
    if isinstance(known, range):  # of up to 2**31 numbers, so not to be walked
        return {x: [int(y)] for x, y in asked.items() if isinstance(x, str) and int(y) in known}
    wanted = set(asked.values())
    found: dict[str, Any] = {}
    for x in known if wanted else ():
        form = without_zeros(x)
        if form in wanted:
            found.setdefault(str(form), x)
    return {x: [found[y]] for x, y in asked.items() if y in found}


def without_zeros(label: Any) -> str | None:
    """Return a whole number, or a text of one, without zeros in front. None for other labels."""
    if isinstance(label, str):
        return None if _NUMBER.fullmatch(label) is None else str(int(label))
    return str(label) if isinstance(label, int) and not isinstance(label, bool) else None


def _near_names(labels: Iterable[Hashable], known: Sequence[Hashable], most_known: int = 200_000) -> dict[Any, list]:
    """Return the nearest known strings for the unknown ones that a message will show. None if that would take long."""
    from difflib import get_close_matches

    if len(known) > most_known or isinstance(known, range):
        return {}
    # difflib compares at about 50,000 short names a second: for large indexes, only names that start alike
    names = [x for x in known if isinstance(x, str)]
    found = {}
    for label in list(labels)[:SHOWN]:
        if isinstance(label, str) and names:
            pool = names if len(names) <= 5_000 else [x for x in names if x[:2].lower() == label[:2].lower()][:5_000]
            # ids are all close to each other: one that differs in digits only is another id, not a typo
            letters = _DIGITS.sub("", label)
            pool = [x for x in pool if _DIGITS.sub("", x) != letters]
            near = get_close_matches(label, pool, n=2, cutoff=0.7)
            if near:
                found[label] = near
    return found


class ParseError(TripletreeError, ValueError):
    """Text that cannot be parsed. The message shows the line with a caret under the place.

    Attributes
    ----------
    path : str or None
        The file's name, ``None`` for a string.
    line, column : int or None
        Counted from 1.
    problems : list of str
        Every problem found: readers of tables go on to the end and collect up to 20 messages.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        text: str | None = None,
        problems: Sequence[str] = (),
    ) -> None:
        self.path, self.line, self.column = path, line, column
        self.problems = list(problems) or [message]
        place = path or "<string>"
        if line is not None:
            place += f", line {line}"
        if column is not None:
            place += f", column {column}"
        mark = "" if text is None else _mark_text(text)
        super().__init__(f"{place}: {message}{mark}" + _caret(text, column))


def _mark_text(text: str) -> str:
    """Return a note on a byte order mark in the offending line, as editors do not show it."""
    at = text.find("\ufeff")
    if at < 0:
        return ""
    return f" (column {at + 1} of this line has an invisible byte order mark, U+FEFF: remove it)"


def _caret(text: str | None, column: int | None, width: int = 78) -> str:
    """Return the offending line, cut to ``width`` around ``column`` (from 1), and a caret below it."""
    if text is None or column is None:
        return ""
    start = max(0, column - 1 - width // 2)
    shown = "".join(ch if ch.isprintable() else " " for ch in text[start : start + width])
    return f"\n  {shown}\n  {' ' * (column - 1 - start)}^"


class InconsistentTripletsError(TripletreeError, ValueError):
    """Triplets that no hierarchy displays together.

    Attributes
    ----------
    leaves : list
        Labels of a set of leaves that cannot be split: its Aho graph is connected.
    conflict : Conflict
        A minimal inconsistent subset: without any one of its triplets the rest is consistent.
        ``print(error.conflict)`` explains it, ``error.conflict.triplets`` is the TripletSet.
    pairs : PairwiseConstraints or None
        The must-links behind the triplets in it that come from pairs, or None.
    """

    pairs: Any = None

    def __init__(self, leaves: Sequence[Hashable], conflict: Any) -> None:
        self.leaves = list(leaves)
        self.conflict = conflict
        shown = ", ".join(" ".join(f"{x}" for x in (a, b, "|", c)) for a, b, c in islice(conflict, SHOWN))
        more = f" and {len(conflict) - SHOWN} more" if len(conflict) > SHOWN else ""
        fewer = "each of them alone can" if len(conflict) == 2 else f"any {len(conflict) - 1} of them can"
        places = f"; {conflict.places}" if conflict.places else ""
        super().__init__(
            f"no hierarchy displays all of these triplets; these {len(conflict)} cannot hold together ({fewer}): "
            f"{shown}{more}{places}"
        )


class UnknownTripletError(TripletreeError, LookupError):
    """Triplets to be removed that are not there.

    Attributes
    ----------
    triplets : list of tuple
        Every such triplet, as labels.
    """

    def __init__(self, triplets: Sequence[tuple[Any, Any, Any]], size: int) -> None:
        self.triplets = list(triplets)
        shown = ", ".join(f"{a} {b} | {c}" for a, b, c in self.triplets[:SHOWN])
        more = f" and {len(self.triplets) - SHOWN} more" if len(self.triplets) > SHOWN else ""
        noun = "triplet is" if len(self.triplets) == 1 else "triplets are"
        super().__init__(
            f"{len(self.triplets)} {noun} not among the {size} of the builder: {shown}{more}; nothing has been removed"
        )


class InvalidPairError(TripletreeError, ValueError):
    """A row that is not a must-link or cannot-link: wrong shape, a leaf twice, an index out of range, a bad weight.

    Attributes
    ----------
    row : int or None
        The first offending row, counted from 0.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class InconsistentPairsError(TripletreeError, ValueError):
    """A chain of must-links between the ends of a cannot-link.

    Attributes
    ----------
    path : list
        Labels of the leaves along the must-links, from one end of the cannot-link to the other.
    cannot_link : tuple
        The two labels of the cannot-link that they violate.
    origins : list of Origin or None
        Places where each must-link along the path was read, and last the cannot-link. None if that is not known.
    weight : float or None
        The smallest weight among them, if weights count.
    n_others : int
        How many more cannot-links are violated.

    Parameters
    ----------
    of_classes : sequence of bool, optional
        For each must-link along the path, and last the cannot-link, whether it follows from classes of samples.
    classes : sequence, optional
        The class of each leaf on the path then.
    """

    def __init__(
        self,
        path: Sequence[Hashable],
        *,
        origins: Sequence[Any] | None = None,
        places: tuple[str, str] = ("", ""),
        weight: float | None = None,
        n_others: int = 0,
        of_classes: Sequence[bool] | None = None,
        classes: Sequence[Any] = (),
    ) -> None:
        self.path = list(path)
        self.cannot_link = (self.path[0], self.path[-1])
        self.origins = list(origins) if origins is not None else [None] * len(self.path)
        self.weight, self.n_others = weight, n_others
        equal = "" if weight is None else f" (weight {weight:g}, and no link of larger weight decides)"
        more = f" (find_contradictions shows {n_others:,} more like this)" if n_others else ""
        what = broken_link_text(self.path, places) + equal
        message = f"the pairs contradict each other: {what}; drop one of them{more}"
        if of_classes is not None:
            what = _class_conflict_text(self.path, of_classes, classes)
            message = f"pairs and classes contradict each other: {what}; drop a pair, or correct a class{more}"
        super().__init__(message)


def _class_conflict_text(path: Sequence[Hashable], of_classes: Sequence[bool], classes: Sequence[Any]) -> str:
    """The path of `InconsistentPairsError`, whose links (the cannot-link last) may come from the classes of samples."""
    ends, i = [], 0
    while i < len(path) - 1:
        j = i + 1
        while of_classes[i] and j < len(path) - 1 and of_classes[j]:
            j += 1
        ends.append(
            f"{path[i]} and {path[j]} are {f'of one class, {classes[i]!r}' if of_classes[i] else 'a must-link'}"
        )
        i = j
    if len(ends) > SHOWN:
        ends[SHOWN // 2 : -SHOWN // 2] = [f"({len(ends) - SHOWN:,} more)"]
    apart = f"of different classes, {classes[0]!r} and {classes[-1]!r}" if of_classes[-1] else "a cannot-link"
    return f"{', '.join(ends)}, but {path[0]} and {path[-1]} are {apart}"


def broken_link_text(path: Sequence[Hashable], places: tuple[str, str] = ("", "")) -> str:
    """Describe a violated cannot-link by the path of must-links between its ends. `places`: where both were read."""
    steps, read = [str(x) for x in path], [f" ({x})" if x else "" for x in places]
    first, last = steps[0], steps[-1]
    if len(steps) == 2:
        return f"{first} and {last} are a must-link{read[0]} and a cannot-link{read[1]}"
    if len(steps) > SHOWN:
        steps[SHOWN // 2 : -SHOWN // 2] = [f"({len(steps) - SHOWN:,} more)"]
    return (
        f"the {len(path) - 1:,} must-links {' - '.join(steps)}{read[0]} put {first} and {last} together, which a "
        f"cannot-link{read[1]} keeps apart"
    )


class InvalidLabelsError(TripletreeError, ValueError):
    """Class or cluster labels of the wrong number, or with missing ones (None or NaN).

    Attributes
    ----------
    position : int or None
        The first offending entry, counted from 0.
    """

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class ClusterCountError(TripletreeError, ValueError):
    """A number of clusters into which the hierarchy cannot be cut.

    Attributes
    ----------
    n_clusters : int
        The number requested.
    nearest : tuple of int
        The next lower and the next higher number that is reachable (only one at the ends).
    """

    def __init__(self, message: str, *, n_clusters: int, nearest: Sequence[int]) -> None:
        super().__init__(message)
        self.n_clusters, self.nearest = n_clusters, tuple(nearest)


class UnknownOptionError(TripletreeError, TypeError):
    """Options that the reader or writer of a format does not have.

    Attributes
    ----------
    options : list of str
        Every such option.
    known : list of str
        The ones that it has.
    format : str
    """

    def __init__(self, options: Sequence[str], known: Sequence[str], format: str) -> None:
        self.options, self.known, self.format = list(options), list(known), format
        super().__init__(
            f"{', '.join(options)}: no option of format {format!r}, which takes {', '.join(known) or 'none'}; if it "
            "is another format, name it with format="
        )


class UnknownSampleError(TripletreeError, LookupError):
    """A name that is not one of the package's sample hierarchies.

    Attributes
    ----------
    name : str
        The number asked for.
    suggestions : list of str
        The nearest names that there are.
    """

    def __init__(self, message: str, *, name: str, suggestions: list[str]) -> None:
        super().__init__(message)
        self.name, self.suggestions = name, suggestions


class InvalidTimesError(TripletreeError, ValueError):
    """Times of observations that are missing or unusable, or a time window that does not fit them.

    Attributes
    ----------
    row : int or None
        The first offending observation, counted from 0.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class InfeasibleClusteringError(TripletreeError, RuntimeError):
    """Consistent pairs for which no clustering into `n_clusters` clusters was found.

    Attributes
    ----------
    n_clusters : int
    proved : bool
        True if it is proved that there is no such clustering. False if the search was given up.
    samples : list
        Labels of samples that cannot all be assigned, one for each group connected by must-links.
    clique : list
        The same samples if every two of them are cannot-linked, else empty.
    sample : hashable or None
        The first of `samples`. None if must-links leave fewer groups than clusters.
    """

    def __init__(
        self, message: str, *, n_clusters: int, samples: Sequence = (), is_clique: bool = False, proved: bool = True
    ) -> None:
        super().__init__(message)
        self.n_clusters, self.proved = n_clusters, proved
        self.samples = list(samples)
        self.clique = list(samples) if is_clique else []
        self.sample = self.samples[0] if self.samples else None


class LimitExceededError(TripletreeError, ValueError):
    """A result that would be larger than the limit. Nothing has been computed.

    Attributes
    ----------
    size, limit : int
        The size of the result, and the limit.
    """

    def __init__(self, message: str, *, size: int, limit: int) -> None:
        super().__init__(message)
        self.size, self.limit = size, limit


class TimeLimitError(TripletreeError, TimeoutError):
    """The end of a `time_limit` that was reached before its block was done. The work of the block is lost.

    Attributes
    ----------
    seconds : float
        The limit.
    what : str or None
        The function of this package that was called in the block, such as "ReCon.fit". None outside of the package.
    """

    def __init__(self, message: str, *, seconds: float, what: str | None = None) -> None:
        super().__init__(message)
        self.seconds, self.what = seconds, what


class MissingDependencyError(TripletreeError, ImportError):
    """An optional library that is not installed, with the command that installs it."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {library}, which is not installed: pip install 'tripletree[{extra}]' "
            f"(in a clone: pip install '.[{extra}]')"
        )
        self.library, self.extra = library, extra


def locate(text: str, offset: int) -> tuple[int, int, str]:
    """Return the line and column (from 1) of a character in a text, and that line. Lines end in LF, CR LF or CR."""
    head = text[:offset]
    line = head.count("\n") + head.replace("\r\n", "\n").count("\r") + 1
    start = max(head.rfind("\n"), head.rfind("\r")) + 1
    stops = [k for k in (text.find("\n", offset), text.find("\r", offset)) if k >= 0]
    return line, offset - start + 1, text[start : min(stops, default=len(text))]


def error_at(offset: int, text: str, message: str, path: str | None) -> ParseError:
    """Return the error at a character of a text."""
    line, column, shown = locate(text, offset)
    return ParseError(message, path=path, line=line, column=column, text=shown)


class GuessedLabelWarning(UserWarning):
    """Names with quotes in them that a reader took as they stand, because it was asked to with ``strict=False``.

    Attributes
    ----------
    labels : dict of str to (int, int)
        Every such label, and the line and column where it first stands.
    """

    def __init__(self, labels: Mapping[str, tuple[int, int]], *, path: str | None = None) -> None:
        self.labels = dict(labels)
        first = [f"{x!r} (line {line}, column {column})" for x, (line, column) in list(self.labels.items())[:SHOWN]]
        more = f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else ""
        several = f"{len(labels)} names with quotes, taken as they stand"
        what = several if len(labels) > 1 else "1 name with quotes, taken as it stands"
        message = f"{path or '<string>'}: {what}: {', '.join(first)}{more}; write_newick puts such names in quotes"
        super().__init__(escaped_controls(message))


_PASSED_OVER = frozenset({"tripletree", "sklearn", "contextlib", "functools", "joblib"})


def warn_user(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn, with the line of the user's code that called into the package as the place of the warning.

    Frames of this package are skipped, and frames of libraries that call it back (scikit-learn's pipelines and
    searches, joblib), so that no caller has to count stack levels.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PASSED_OVER:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
