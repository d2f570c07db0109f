"""Whole paths as names: which node `Food > Bread` or, where labels are whole paths, `Bread` means.

No path is stored: the parts of a text are compared with the names of a node and of its ancestors. Called by hierarchies
and by `match_names` for texts that are neither labels nor names.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tripletree.core.ontology import Ontology

#: Between the names of a path, and how each is written.
SEPARATORS = {";": "; ", ">": " > ", "|": "|", "/": "/"}


def split_path(text: str, sep: str) -> tuple[str, ...]:
    """Return the names of a path, without empty ones at its ends.

    >>> split_path("Food > Bread", ">"), split_path("/Food/Bread/", "/")
    (('Food', 'Bread'), ('Food', 'Bread'))
    """
    return tuple(x.strip() for x in text.strip().strip(sep + " ").split(sep))


def is_path(text: str) -> bool:
    """Tell whether a text reads as a path, and not as one name with a sign in it such as "Canis lupus/latrans"."""
    return any(x in text for x in ";>|") or ("/" in text and " " not in split_path(text, "/")[0])


class Paths:
    """The nodes of a tree by their paths. `form` makes names comparable."""

    def __init__(
        self,
        leaves: Iterable[Hashable],
        names: Sequence[str | None],
        parent: np.ndarray,
        *,
        form: Callable[[str], str] = str,
    ) -> None:
        self.texts: list[Any] = [*leaves, *names]
        self.form = form
        #: The nearest ancestor with a name, -1 without one.
        self.above = parent.tolist()
        for u in range(len(self.texts) - 2, -1, -1):
            p = self.above[u]
            if self.texts[p] is None:
                self.above[u] = self.above[p]
        if self.texts[-1] is None:
            self.above = [-1 if p == len(self.texts) - 1 else p for p in self.above]
        found = {sep: self.last_names(sep) for sep in SEPARATORS}
        #: The separator of labels and names that are whole paths, and the last name of each.
        self.sep = max(found, key=lambda sep: len(found[sep]))
        self.own = found[self.sep]

    def last_names(self, sep: str) -> dict[int, str]:
        """Return the last name of each node whose text is the path of its ancestors and itself."""
        own: dict[int, str] = {}
        marked = [u for u, x in enumerate(self.texts) if isinstance(x, str) and sep in x]
        for u in reversed(marked):
            *before, last = split_path(self.texts[u], sep)
            v = self.above[u]
            while before and v >= 0 and own.get(v, self.texts[v]) == before[-1]:
                before.pop()
                v = self.above[v]
            if not before and v < 0 and self.above[u] >= 0:
                own[u] = last
        return own

    def name(self, u: int) -> Any:
        """Return the name of a node without its ancestors'."""
        return self.own.get(u, self.texts[u])

    def find(self, asked: Iterable[Any]) -> dict[Any, list[int]]:
        """Return the nodes that each text may mean: by its whole path, or else by the end of one."""
        wanted: dict[tuple[str, ...], list[Any]] = {}
        lengths: dict[str, set[int]] = {}
        texts = dict.fromkeys(x for x in asked if isinstance(x, str))
        if not self.own:  # a name by itself is a path only if nodes share it
            bare = {x for x in texts if not any(sep in x for sep in SEPARATORS)}
            bare.difference_update(bare.intersection(self.texts))
            texts = {x: None for x in texts if x not in bare}
        for text in texts:
            ways = [(text.strip(),), *(split_path(text, sep) for sep in SEPARATORS if sep in text)]
            for parts in dict.fromkeys(tuple(map(self.form, way)) for way in ways):
                if all(parts):
                    wanted.setdefault(parts, []).append(text)
                    lengths.setdefault(parts[-1], set()).add(len(parts))
        ends: dict[Any, list[int]] = {}
        whole: dict[Any, list[int]] = {}
        for u in range(len(self.texts)) if wanted else ():
            name = self.name(u)
            if not isinstance(name, str) or (sizes := lengths.get(self.form(name))) is None:
                continue
            path, v = self._path(u, max(sizes))
            for size in sizes:
                for text in wanted.get(tuple(path[-size:]), ()) if size <= len(path) else ():
                    full = size == len(path) and v < 0
                    (whole if full else ends).setdefault(text, []).append(u)
        return ends | whole

    def _path(self, u: int, most: int) -> tuple[list[str], int]:
        """Return the comparable names of the last nodes of a path, and the node above them."""
        path: list[str] = []
        while u >= 0 and len(path) < most:
            path.append(self.form(str(self.name(u))))
            u = self.above[u]
        return path[::-1], u

    def text(self, u: int) -> str:
        """Return the whole path of a node."""
        if u in self.own:
            return str(self.texts[u])
        names: list[str] = []
        while u >= 0:
            names.append(str(self.name(u)))
            u = self.above[u]
        free = [x for x in (self.sep if self.own else ">", *SEPARATORS) if not any(x in name for name in names)]
        return SEPARATORS[free[0] if free else ">"].join(reversed(names))


def terms_by_path(
    asked: Iterable[Any], ontology: Ontology, *, form: Callable[[str], str] = str
) -> dict[Any, list[Any]]:
    """Return the terms that each path may mean: a whole path, or else the end of one, along any of the parents."""
    wanted: dict[Any, list[tuple[str, ...]]] = {}
    for text in dict.fromkeys(x for x in asked if isinstance(x, str) and is_path(x)):
        ways = [tuple(map(form, split_path(text, sep))) for sep in SEPARATORS if sep in text]
        wanted[text] = [x for x in ways if len(x) > 1 and all(x)]
    last: dict[str, list[Any]] = {way[-1]: [] for ways in wanted.values() for way in ways}
    if not last:
        return {}

    def called(term: Any, name: str) -> bool:
        return name in (form(str(term)), form(ontology.name(term) or ""))

    for term, name in zip(ontology.terms, ontology.names or [None] * ontology.n_terms, strict=True):
        for x in {form(str(term)), form(name or "")} & last.keys():
            last[x].append(term)
    ends: dict[Any, list[Any]] = {}
    whole: dict[Any, list[Any]] = {}
    for text, ways in wanted.items():
        for *above, name in ways:
            for term in last[name]:
                level = {term}
                for part in reversed(above):
                    level = {y for x in level for y in ontology.parents(x) if called(y, part)}
                if level:
                    (ends if all(ontology.parents(x) for x in level) else whole).setdefault(text, []).append(term)
    return ends | whole


def nodes_by_path(
    asked: Iterable[Any], leaves: Sequence[Any], names: Sequence[str | None] | None, parent: np.ndarray
) -> tuple[dict[Any, int], dict[Any, str]]:
    """Return the node of each text that is the path of one, and a remark on each that may mean several."""
    texts = [x for x in asked if isinstance(x, str)]
    if not texts or names is None:
        return {}, {}
    known = "\0".join([x for x in (*leaves, *names) if isinstance(x, str)])
    if not any(sep in x for sep in SEPARATORS for x in (known, *texts)) and set(texts).isdisjoint(names):
        return {}, {}  # no paths, and no name that nodes share
    paths = Paths(leaves, names, parent)
    found = paths.find(texts)
    several = {x: nodes for x, nodes in found.items() if len(nodes) > 1}
    remarks = {x: f"may be {' or '.join(repr(paths.text(u)) for u in nodes[:3])}" for x, nodes in several.items()}
    return {x: nodes[0] for x, nodes in found.items() if len(nodes) == 1}, remarks
