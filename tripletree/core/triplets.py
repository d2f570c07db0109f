"""TripletSet: a canonical array of rooted triplets, with optional weights."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.core.checks import as_positions, check_entries, check_numbers, described
from tripletree.core.html import table_html
from tripletree.core.immutable import Immutable, cached, fixed
from tripletree.core.leaves import LeafIndex, check_leaf_rows, no_label, sorted_labels
from tripletree.core.provenance import Origins
from tripletree.errors import InvalidTripletError, UnknownLeafError


class TripletSet(Immutable):
    """An immutable set of rooted triplets over one leaf index.

    A triplet ab|c says that a and b are closer to each other than either is to c. Row (a, b, c) of `rows` is ab|c with
    a < b. Rows are sorted and unique, so that equal sets over the same leaf index have equal arrays.

    Parameters
    ----------
    rows : array_like of int, shape (m, 3)
        Leaf indices. (a, b, c) and (b, a, c) are the same triplet, and repeats count once.
    leaves : LeafIndex, iterable of labels, or int
        The leaves. Some may occur in no triplet.
    weights : array_like of float, shape (m,), optional
        A positive weight for each row. The weights of repeated rows are added.
    origins : Origins, optional
        Place where each row was read.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, 3)
        Read-only.
    leaves : LeafIndex
    weights : ndarray of float64, shape (m,), or None
        Read-only, parallel to `rows`.
    origins : Origins or None
        Place where each was read (the first place of a repeated one). Set by the readers of files.

    Raises
    ------
    InvalidTripletError
        If a row is not a triplet (wrong shape, a leaf twice, an index out of range) or a weight is not positive and
        finite. ``.row`` is the first such row.

    See Also
    --------
    TripletSet.from_labels : the same from tuples of labels.

    Notes
    -----
    ``len``, ``in``, iteration (tuples of labels), ``|``, ``&``, ``-`` and ``==`` treat it as a set of labelled
    triplets. Two sets are equal when they have the same leaves, triplets and weights. The order of their leaf indexes
    and the origins do not count.

    Examples
    --------
    >>> t = TripletSet([(1, 0, 2), (0, 1, 2), (2, 3, 0)], ["human", "chimp", "gorilla", "orang"])
    >>> len(t)
    2
    >>> t.rows.tolist()
    [[0, 1, 2], [2, 3, 0]]
    >>> ("chimp", "human", "gorilla") in t
    True
    """

    __slots__ = ()
    _how = "make another with TripletSet(...), restrict or |"

    rows: np.ndarray = fixed()
    leaves: LeafIndex = fixed()
    weights: np.ndarray | None = fixed()
    origins: Origins | None = fixed()

    #: For scikit-learn: its cross-validation splits every fit parameter that is as long as X, like sample weights. It
    #: takes the length from `shape` if there is one, and -1 is never the number of samples: sets are passed on whole.
    shape = (-1, 3)

    def __init__(
        self,
        rows: Any,
        leaves: LeafIndex | Iterable[Hashable] | int,
        weights: Any = None,
        *,
        origins: Origins | None = None,
    ) -> None:
        leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        n = len(leaves)
        array, unique, merged = _checked(rows, weights, n)
        if origins is not None and len(origins) != array.shape[0]:
            msg = f"origins must have one entry for each of the {array.shape[0]} rows, not {len(origins)}"
            raise InvalidTripletError(msg)
        read = origins if origins is None else origins.merged(*_runs(array, n))
        self._hold(rows=unique, leaves=leaves, weights=merged, origins=read)

    @classmethod
    def from_labels(
        cls,
        triplets: Iterable[Sequence[Hashable]],
        leaves: LeafIndex | Iterable[Hashable] | None = None,
        *,
        weights: Any = None,
    ) -> TripletSet:
        """Make a set from tuples (a, b, c) of labels, each meaning ab|c.

        A set has no order of its own: its rows are sorted by the leaves, a before b, and equal ones are one.

        Parameters
        ----------
        triplets : iterable of (a, b, c), or data frame
            Labels: strings, integers or any other hashable values. A data frame of pandas or polars, or a table of
            Arrow, has them in the columns a, b and c, and optional weights in the column weight.
        leaves : LeafIndex or iterable of labels, optional
            All leaves, in order. By default those that occur, sorted (in order of appearance if labels of different
            types cannot be compared).
        weights : array_like of float, optional
            One positive weight for each triplet.

        Returns
        -------
        TripletSet

        Raises
        ------
        InvalidTripletError
            If an entry does not have three different labels. ``.row`` is its number.

        Examples
        --------
        >>> t = TripletSet.from_labels([("human", "chimp", "gorilla")])
        >>> list(t)
        [('chimp', 'human', 'gorilla')]
        """
        frame = unpack_frame(triplets)
        if frame is not None:
            triplets, weights = frame[0], frame[1] if weights is None else weights
        entries = [check_label_triple(row, k) for k, row in enumerate(check_entries(triplets, "triplets"))]
        flat = [label for row in entries for label in row]
        if leaves is None:
            leaves = sorted_labels(flat)
        if not isinstance(leaves, LeafIndex):
            leaves = LeafIndex(leaves)
        rows = leaves.indices(flat, what="triplets' leaves").reshape(-1, 3)
        return cls(rows, leaves, weights)

    # ------------------------------------------------------------------ derived sets

    def reindex(self, leaves: LeafIndex | Iterable[Hashable]) -> TripletSet:
        """Return the same triplets over another leaf index, which must have all leaves that occur in them.

        Raises
        ------
        UnknownLeafError
            If leaves of triplets are missing. ``.labels`` lists them.

        Examples
        --------
        >>> TripletSet.from_labels([("a", "b", "c")]).reindex(["d", "c", "b", "a"]).rows.tolist()
        [[2, 3, 1]]
        """
        leaves = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        if leaves == self.leaves:
            return self
        used = self.used_leaves
        number = np.full(len(self.leaves), -1, np.int32)
        number[used] = leaves.indices((self.leaves[i] for i in used.tolist()), what="triplets' leaves")
        return TripletSet(freeze(number[self.rows]), leaves, self.weights, origins=self.origins)

    def restrict(self, labels: Iterable[Hashable]) -> TripletSet:
        """Return the triplets that have all three leaves among `labels`, over `labels`.

        Examples
        --------
        >>> t = TripletSet.from_labels([("a", "b", "c"), ("a", "b", "d")])
        >>> list(t.restrict(["d", "a", "b"]))
        [('a', 'b', 'd')]
        """
        if isinstance(labels, str):
            raise UnknownLeafError([labels], self.leaves.labels, what="labels (give a list of labels)")
        leaves = labels if isinstance(labels, LeafIndex) else LeafIndex(labels)
        number = np.full(len(self.leaves), -1, np.int32)
        number[self.leaves.indices(leaves)] = np.arange(len(leaves), dtype=np.int32)
        return self.over(number, leaves)

    def over(self, number: np.ndarray, leaves: LeafIndex) -> TripletSet:
        """Return the triplets whose leaves stay, over other leaves: `number` has the new place of each leaf, or -1.

        Examples
        --------
        >>> t = TripletSet.from_labels([("a", "b", "c"), ("a", "b", "d")])
        >>> list(t.over(np.array([0, 1, 2, -1]), LeafIndex(["A", "B", "C"])))
        [('A', 'B', 'C')]
        """
        rows = number[self.rows]
        return self._with(rows, (rows >= 0).all(axis=1), leaves)

    def subset(self, which: Any) -> TripletSet:
        """Return the triplets at the given row numbers, or where a boolean mask is true, over the same leaves.

        Examples
        --------
        >>> t = TripletSet.from_labels([("a", "b", "c"), ("a", "b", "d")])
        >>> list(t.subset([1])), len(t.subset([True, False]))
        ([('a', 'b', 'd')], 1)
        """
        return self._with(self.rows, as_positions(which), self.leaves)

    def _with(self, rows: np.ndarray, which: Any, leaves: LeafIndex) -> TripletSet:
        """Return some rows over other leaves, with their weights and origins."""
        weights = None if self.weights is None else self.weights[which]
        origins = None if self.origins is None else self.origins.take(which)
        return TripletSet(rows[which], leaves, weights, origins=origins)

    def to_comparisons(self) -> np.ndarray:
        """Return the comparisons that the triplets imply: rows (anchor, near, far).

        Triplet ab|c implies d(a, b) < d(a, c) and d(b, a) < d(b, c). The reverse does not hold: a comparison says less
        than a triplet, and is never turned into one.

        Returns
        -------
        ndarray of int32, shape (2 m, 3)

        Examples
        --------
        >>> TripletSet.from_labels([("a", "b", "c")]).to_comparisons().tolist()
        [[0, 1, 2], [1, 0, 2]]
        """
        return np.concatenate([self.rows, self.rows[:, [1, 0, 2]]])

    @cached
    def used_leaves(self) -> np.ndarray:
        """Indices of the leaves that occur in some triplet, ascending (int64)."""
        mask = np.zeros(len(self.leaves), np.bool_)
        mask[self.rows] = True
        return freeze(np.flatnonzero(mask))

    # ------------------------------------------------------------------ set behaviour

    def _same_index(self, other: TripletSet) -> tuple[TripletSet, TripletSet]:
        """Return both sets over one leaf index with the leaves of both."""
        if self.leaves == other.leaves:
            return self, other
        more = [x for x in other.leaves if x not in self.leaves]
        leaves = LeafIndex([*self.leaves, *more]) if more else self.leaves
        return self.reindex(leaves), other.reindex(leaves)

    def __or__(self, other: TripletSet) -> TripletSet:
        if not isinstance(other, TripletSet):
            return NotImplemented
        a, b = self._same_index(other)
        weights = None
        if a.weights is not None or b.weights is not None:
            weights = np.concatenate([np.ones(len(s)) if s.weights is None else s.weights for s in (a, b)])
        origins = Origins.joined(a.origins, len(a), b.origins, len(b))
        return TripletSet(np.concatenate([a.rows, b.rows]), a.leaves, weights, origins=origins)

    def __and__(self, other: TripletSet) -> TripletSet:
        if not isinstance(other, TripletSet):
            return NotImplemented
        a, b = self._same_index(other)
        return a.subset(contains_rows(a.rows, b.rows, len(a.leaves)))

    def __sub__(self, other: TripletSet) -> TripletSet:
        if not isinstance(other, TripletSet):
            return NotImplemented
        a, b = self._same_index(other)
        return a.subset(~contains_rows(a.rows, b.rows, len(a.leaves)))

    def __contains__(self, triplet: object) -> bool:
        if isinstance(triplet, np.ndarray):
            triplet = triplet.tolist()
        if not isinstance(triplet, Sequence) or isinstance(triplet, str) or len(triplet) != 3:
            return False
        if any(x not in self.leaves for x in triplet):
            return False
        a, b, c = (self.leaves.index(x) for x in triplet)
        row = [min(a, b), max(a, b), c]
        at = bisect_left(self.rows, row, key=np.ndarray.tolist)  # rows are sorted
        return at < len(self) and self.rows[at].tolist() == row

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        labels = self.leaves.labels
        for a, b, c in self.rows.tolist():
            yield labels[a], labels[b], labels[c]

    def head(self, k: int = 5) -> list[tuple[Any, Any, Any]]:
        """Return the first k triplets as tuples of labels.

        Examples
        --------
        >>> TripletSet.from_labels([("a", "b", "c"), ("a", "b", "d")]).head(1)
        [('a', 'b', 'c')]
        """
        labels = self.leaves.labels
        return [(labels[a], labels[b], labels[c]) for a, b, c in self.rows[:k].tolist()]

    def __len__(self) -> int:
        return self.rows.shape[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TripletSet):
            return NotImplemented
        if self is other:
            return True
        if len(self) != len(other) or len(self.leaves) != len(other.leaves):
            return False
        if (self.weights is None) != (other.weights is None):
            return False
        if self.leaves != other.leaves:
            if any(x not in self.leaves for x in other.leaves):
                return False
            other = other.reindex(self.leaves)
        return np.array_equal(self.rows, other.rows) and (
            self.weights is None or np.array_equal(self.weights, other.weights)  # type: ignore[arg-type]
        )

    def __hash__(self) -> int:
        return hash((len(self), frozenset(self.leaves)))

    def __reduce__(self) -> Any:
        return _unpickled, (self.rows, self.leaves, self.weights, self.origins)

    def __repr__(self) -> str:
        shown = ", ".join(f"{a} {b} | {c}" for a, b, c in self.head(3))
        more = ", ..." if len(self) > 3 else ""
        body = f": {shown}{more}" if shown else ""
        return f"<TripletSet: {self._counted()}{body}>"

    def _counted(self) -> str:
        weighted = "" if self.weights is None else "weighted "
        m, n = len(self), len(self.leaves)
        return f"{m} {weighted}triplet{'' if m == 1 else 's'} on {n} {'leaf' if n == 1 else 'leaves'}"

    def _repr_html_(self) -> str:
        # shown by notebooks: the first rows
        head, rows = ["a", "b", "c"], self.head(10)
        if self.weights is not None:
            head.append("weight")
            rows = [(*row, f"{w:g}") for row, w in zip(rows, self.weights.tolist(), strict=False)]  # type: ignore[misc]
        return table_html(f"TripletSet: {self._counted()}, each ab|c", head, rows, len(self) - len(rows))


def _unpickled(rows: np.ndarray, leaves: LeafIndex, weights: np.ndarray | None, origins: Origins | None) -> TripletSet:
    return TripletSet(rows, leaves, weights, origins=origins)


def check_triplets(value: Any) -> TripletSet:
    """Return `value` if it is a TripletSet, else raise a TypeError with advice on how to make one."""
    if not isinstance(value, TripletSet):
        msg = (
            f"expected a TripletSet, got {described(value)}; make one with TripletSet.from_labels([(a, b, c), ...]) "
            "for ab|c, TripletSet(rows, leaves), or read_triplets(path)"
        )
        raise TypeError(msg)
    return value


# ---------------------------------------------------------------------- rows of triplets


def unpack_frame(table: Any) -> tuple[list[tuple], list[float] | None] | None:
    """Return the rows and weights of a data frame of triplets, by the names of its columns. None for anything else."""
    if hasattr(table, "column_names") and hasattr(table, "to_pylist"):  # a table of Arrow
        columns: Any = table.column_names
        cells = {x: table[x].to_pylist() for x in columns}
    elif hasattr(table, "columns") and hasattr(table, "to_numpy"):
        columns, cells = table.columns, table
    else:
        return None
    names = [str(x) for x in columns]
    if names == ["0", "1", "2"]:  # a frame made without column names
        return list(zip(*(list(cells[x]) for x in columns), strict=True)), None
    if not {"a", "b", "c"} <= set(names):
        msg = (
            "a table of triplets needs columns a, b and c, for ab|c (and weight, if there are weights); "
            f"this one has {', '.join(names[:10])}: rename them"
        )
        raise InvalidTripletError(msg)
    a, b, c = (list(cells[x]) for x in "abc")
    return list(zip(a, b, c, strict=True)), list(cells["weight"]) if "weight" in names else None


def check_label_triple(row: Any, k: int, noun: str = "triplet") -> tuple[Hashable, Hashable, Hashable]:
    """Return entry k of an iterable of label triples as a tuple of three different labels."""
    if isinstance(row, str) or not isinstance(row, (Sequence, np.ndarray)) or len(row) != 3:
        msg = f"{noun} {k} is {row!r}: expected three labels"
        raise InvalidTripletError(msg, row=k)
    a, b, c = row.tolist() if isinstance(row, np.ndarray) else row
    wrong = no_label(a) or no_label(b) or no_label(c)
    if wrong or a in (b, c) or b == c:
        msg = f"{noun} {k} is {' '.join(repr((a, b, c)).split()):.120}: {wrong or 'its three leaves must differ'}"
        raise InvalidTripletError(msg, row=k)
    return a, b, c


def check_triplet_rows(rows: Any, n: int, noun: str = "row") -> np.ndarray:
    """Return the rows as an integer array of shape (m, 3), each with three different leaves in range."""
    return check_leaf_rows(rows, n, 3, noun, "TripletSet.from_labels", InvalidTripletError)


def check_weights(weights: Any, m: int) -> np.ndarray:
    """Return the weights of m triplets as float64: positive, and with a finite sum."""
    array = check_numbers(weights, m, "weights", "triplets", InvalidTripletError)
    bad = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if bad.size:
        k = int(bad[0])
        msg = f"the weight of row {k} is {array[k]}: weights must be positive and finite"
        raise InvalidTripletError(msg, row=k)
    with np.errstate(over="ignore"):
        total = array.sum()
    if not np.isfinite(total):
        msg = "the weights add up to infinity: divide them all by the largest one"
        raise InvalidTripletError(msg)
    return array


def _keys(rows: np.ndarray, n: int) -> np.ndarray | None:
    """Encode each row as an int64, in the order of the rows. None if n**3 does not fit."""
    if n >= 1 << 21:
        return None
    a, b, c = (rows[:, k].astype(np.int64) for k in range(3))
    return (np.minimum(a, b) * n + np.maximum(a, b)) * n + c


def _checked(rows: Any, weights: Any, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Check rows and weights. Return the rows as they are, and both in canonical form."""
    array = check_triplet_rows(rows, n)
    given = None if weights is None else check_weights(weights, array.shape[0])
    return array, *_canonical(array, given, n)


def _canonical(rows: np.ndarray, weights: np.ndarray | None, n: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return rows with a < b, sorted and unique, and the weights of repeated rows added up. O(m log m)."""
    key = _keys(rows, n)
    if key is not None and bool((key[1:] > key[:-1]).all()) and bool((rows[:, 0] < rows[:, 1]).all()):
        return frozen(rows), None if weights is None else frozen(weights, np.float64)
    if key is not None and weights is None:
        key.sort()
        key = key[np.concatenate([[True], key[1:] != key[:-1]])]
        out = np.empty((key.size, 3), np.int32)
        np.divmod(key, n, out=(key, out[:, 2]), casting="unsafe")
        np.divmod(key, n, out=(out[:, 0], out[:, 1]), casting="unsafe")
        return freeze(out), None
    a, b = np.minimum(rows[:, 0], rows[:, 1]), np.maximum(rows[:, 0], rows[:, 1])
    order = np.lexsort((rows[:, 2], b, a)) if key is None else engine.sorted_order(key)
    out = np.stack([a, b, rows[:, 2]], axis=1).astype(np.int32)[order]
    new = np.ones(out.shape[0], np.bool_)
    new[1:] = (out[1:] != out[:-1]).any(axis=1)
    if weights is not None:
        with np.errstate(over="ignore"):
            weights = freeze(np.add.reduceat(weights[order], np.flatnonzero(new)))
        if not np.isfinite(weights).all():
            msg = "the weights of a repeated triplet add up to infinity"
            raise InvalidTripletError(msg)
    return freeze(np.ascontiguousarray(out[new])), weights


def _runs(rows: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the stable order that sorts rows as `_canonical` does, and where in it each run of equal rows starts."""
    key = _keys(rows, n)
    if key is None:
        a, b = np.minimum(rows[:, 0], rows[:, 1]), np.maximum(rows[:, 0], rows[:, 1])
        order = np.lexsort((rows[:, 2], b, a))
        new = (np.diff(np.stack([a, b, rows[:, 2]])[:, order], axis=1) != 0).any(axis=0)
    else:
        order = engine.sorted_order(key)
        new = np.diff(key[order]) != 0
    return order, np.flatnonzero(np.concatenate([np.ones(min(order.size, 1), np.bool_), new]))


def contains_rows(rows: np.ndarray, among: np.ndarray, n: int) -> np.ndarray:
    """Tell which canonical rows occur among other canonical rows: bool, shape (len(rows),)."""
    key, keys = _keys(rows, n), _keys(among, n)
    if key is None or keys is None:
        fields = [("a", np.int32), ("b", np.int32), ("c", np.int32)]
        key, keys = (np.ascontiguousarray(x).view(fields).ravel() for x in (rows, among))
        return np.isin(key, keys)
    if keys.size == 0:
        return np.zeros(key.size, np.bool_)
    at = np.minimum(np.searchsorted(keys, key), keys.size - 1)
    return keys[at] == key


def total_weight(triplets: TripletSet) -> float:
    """Return the sum of the weights of triplets, or their number if they have no weights."""
    return float(len(triplets)) if triplets.weights is None else float(triplets.weights.sum())
