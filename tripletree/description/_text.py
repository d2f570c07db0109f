"""Descriptions in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from textwrap import fill, wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tripletree.description import Description, TreeShape
    from tripletree.description._coherence import Coherence

__all__ = ["percent", "text_of", "title_of"]

_WIDTH = 100
#: Random triplets a named sample: up to the first noisy data got no better, beyond the second it did.
_FEW, _ENOUGH = 1.0, 1.3
_MEASURED = (
    "In measurements with random triplets (ReCon, Ward linkage) on noisy data of two classes (heart, australian, "
    "wdbc), the dendrogram purity stayed at or below that without triplets up to about 1.0 triplets a sample, and rose "
    "above .95 between 1.1 and 1.3. Classes that stand apart needed far fewer (digits: .05 a sample gave .991). This "
    "is no law"
)


def percent(part: int, whole: int) -> str:
    """A share that says all and none only where it is so."""
    if part in (0, whole):
        return "all" if part else "none"
    return f"{min(max(100 * part / whole, 0.01), 99.99):.2f}%"


def _share(value: float) -> str:
    """The same of a share that is no quotient of counts."""
    return {0.0: "none", 1.0: "all"}.get(value) or f"{min(max(100 * value, 0.01), 99.99):.2f}%"


def _counted(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def title_of(found: Description) -> str:
    return f"{_counted(found.n_triplets, 'triplet')} on {_counted(found.n_leaves, 'leaf', 'leaves')}"


def text_of(found: Description) -> str:
    """A table of what was found, and notes on what it means."""
    rows = list(_rows(found))
    width = max(len(name) for name, _ in rows)
    lines = [title_of(found)]
    for name, text in rows:
        first, *more = wrap(text, _WIDTH - width - 4)
        lines.append(f"  {name:<{width}}  {first}")
        lines += [" " * (width + 4) + x for x in more]
    return "\n".join([*lines, *("\n" + fill(note, _WIDTH) for note in _notes(found))])


def _rows(found: Description) -> Iterator[tuple[str, str]]:
    n, m, used = found.n_leaves, found.n_triplets, found.n_covered
    yield "leaves", f"{n:,}: {used:,} in some triplet, {n - used:,} in none"
    if used:
        joined = "1: triplets link all of these leaves"
        apart = (
            f"{found.n_parts:,} that no triplet links, the largest of {_counted(found.largest_part, 'leaf', 'leaves')}"
        )
        yield "parts", joined if found.n_parts == 1 else apart
    yield "weights", "none" if found.weight is None else f"{found.weight:.6g} in all"
    if m:
        each = f" ({found.ratio_covered:.2f} for each leaf in some triplet)" if used < n else ""
        yield "ratio", f"{found.ratio:.2f} triplets for each leaf{each}"
    if found.consistent:
        yield "consistent", "yes"
        yield "settled", _settled(found)
        yield "redundancy", _redundancy(found)
        yield "information", _information(found)
        yield "hierarchy", _hierarchy(found, found.tree)
    else:
        yield (
            "consistent",
            f"no: {found.n_failing_triplets:,} triplets tie a group of {found.n_failing_leaves:,} leaves together, so "
            "that no first split of it exists",
        )
    if found.coherence is not None:
        yield "coherence", _coherence(found.coherence, m, weighted=found.weight is not None)


def _settled(found: Description) -> str:
    triples = comb(found.n_leaves, 3)
    if found.closure_size is None:
        return f"not told: {found.reasons['closure_size']}"
    if triples == 0:
        return "there are no triples of leaves"
    part = percent(found.closure_size, triples)
    return f"{found.closure_size:,} of {triples:,} triples of leaves ({part}), by the triplets and what they imply"


def _redundancy(found: Description) -> str:
    if found.redundant is None:
        return f"not told: {found.reasons['redundant']}"
    if found.n_triplets == 0:
        return "there are no triplets"
    part = percent(found.redundant, found.n_triplets)
    return f"{found.redundant:,} of {_counted(found.n_triplets, 'triplet')} ({part}) implied by all others"


def _information(found: Description) -> str:
    if found.information is None:
        return f"not told: {found.reasons['information']}"
    if found.information_share is None:
        return "there is nothing to tell of fewer than three leaves"
    return (
        f"{found.information:.6g} of the {found.all_information:.6g} bits that tell one binary hierarchy of these "
        f"leaves from all others ({_share(found.information_share)})"
    )


def _hierarchy(found: Description, tree: TreeShape | None) -> str:
    if tree is None:
        return f"none: {found.reasons['tree']}"
    if found.n_leaves == 1:
        return "a single leaf"
    loose = found.n_leaves - found.n_covered
    alone = f", {loose:,} of them leaves in no triplet" if loose else ""
    return (
        f"that of OneTree has {_counted(tree.n_inner_nodes, 'inner node')} of up to "
        f"{_counted(tree.most_children, 'child', 'children')}, {tree.root_children:,} at the root{alone}; leaves are "
        f"at depth {tree.mean_depth:.2f} on average, at most {tree.depth:,}"
    )


def _coherence(found: Coherence, m: int, *, weighted: bool) -> str:
    ties = f", {found.n_tied:,} tied" if found.n_tied else ""
    share = f"{_share(found.share)} of the weight" if weighted else percent(found.n_satisfied, m)
    return (
        f"the metric ({found.metric}) satisfies {found.n_satisfied:,} of {_counted(m, 'triplet')} ({share}){ties}; a "
        "third is to be expected of triplets that have nothing to do with it"
    )


def _notes(found: Description) -> Iterator[str]:
    """What the figures mean, paragraph by paragraph."""
    if not found.consistent:
        yield (
            "What is implied, redundancy, information and the hierarchy are defined for consistent sets only: "
            "find_conflict (tripletree check) shows triplets that cannot hold together; repair (tripletree repair) "
            "drops some and keeps a consistent rest."
        )
        return
    if found.ratio_covered is None:
        return
    if found.ratio_covered <= _FEW:
        verdict = "are few, if they are drawn at random"
        advice = (
            "; compare with the clustering without triplets, give more, or informative ones (triplets_from_classes)."
        )
    elif found.ratio_covered < _ENOUGH:
        verdict = "may be too few, if they are drawn at random"
        advice = "; compare with the clustering without triplets."
    else:
        verdict = "are more than the numbers that are known to hurt"
        advice = " for other data."
    where = "" if found.n_covered == found.n_leaves else " in some triplet"
    yield f"For clustering, {found.ratio_covered:.2f} triplets for each leaf{where} {verdict}. {_MEASURED}{advice}"
    unseen = ""
    if found.redundant is not None and found.redundant < found.n_triplets:
        alone = found.n_triplets - found.redundant
        unseen = (
            f" An error in one of the {alone:,} that all others do not imply need not show: with another triplet on "
            "the same three leaves in its place, the set is consistent as well."
        )
    yield (
        "Consistent does not mean free of errors: with 2% or 10% of the triplets flipped, every random set of one "
        f"triplet a sample that was tried (iris) was still consistent, and clustered worse.{unseen}"
    )
