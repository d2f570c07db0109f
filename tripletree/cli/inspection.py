"""The commands that tell: ``info`` and ``check``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import comb
from typing import Any

import click

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.conflict import find_conflict
from tripletree.algorithms.decompose import decomposition_size
from tripletree.algorithms.induce import count_triplets
from tripletree.algorithms.supervision import triplets_from_comparisons
from tripletree.cli.outputs import check_apart
from tripletree.cli.pairs import check_pairs, pair_rows
from tripletree.cli.reading import read_either, read_titled, reading_options
from tripletree.cli.shell import INCONSISTENT, conflict_text, say, table_text
from tripletree.cli.sources import (
    format_option,
    given_name,
    kind_option,
    read_constraints,
    table_options,
    write_triplet_file,
)
from tripletree.cli.spelling import in_shell, option_names
from tripletree.core.answers import ALIKE, DIFFERENT, UNSURE, AnswerSet
from tripletree.core.checks import counted
from tripletree.core.comparisons import Comparisons
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import collected, doubts
from tripletree.core.ontology import Ontology
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.evaluation.describe import percent

#: Relative difference of the leaves' distances from the root up to which a hierarchy counts as ultrametric.
TOLERANCE = 1e-6


@click.command(
    epilog="""
    \b
    Examples:
      tripletree info sample:mammals
      tripletree decompose sample:primates | tripletree info -
    """
)
@click.argument("file")
@click.option(
    "--as",
    "kind",
    type=click.Choice(["hierarchy", "triplets", "pairs", "answers", "comparisons"]),
    help="Kind of FILE. By default it is recognised.",
)
@table_options("pairs", "triplets", "answers", "comparisons")
@reading_options
def info(file: str, kind: str | None, options: dict[str, Any], reading: dict[str, Any]) -> None:
    """Show the content of FILE: a hierarchy, an ontology, triplets, answers, comparisons or pairs.

    FILE is a path, '-' for the standard input, or a sample such as sample:mammals.
    """
    with collected():
        kind, value = read_either(file, kind, options, reading, lambda again: read_titled(again, reading))
        if kind == "hierarchy":
            value, title = value
            of_nodes = hierarchy_rows if isinstance(value, Hierarchy) else _ontology_rows
            rows = [*of_nodes(value), *_doubt_rows(value)]
            called = f"{'a hierarchy' if isinstance(value, Hierarchy) else 'an ontology'} ({title})"
        else:
            rows, called = list(_ROWS[kind](value)), "odd-one-out answers" if kind == "answers" else kind
    say(f"{given_name(file)}: {called}\n{table_text(rows)}")


def answer_rows(answers: AnswerSet) -> Iterator[tuple[str, str]]:
    """The lines of `info` about answers."""
    kinds = {"odd": int((answers.replies < ALIKE).sum()), "alike": ALIKE, "different": DIFFERENT, "unsure": UNSURE}
    counts = {x: k if x == "odd" else int((answers.replies == k).sum()) for x, k in kinds.items()}
    yield "answers", f"{len(answers):,}: " + ", ".join(f"{k:,} {x}" for x, k in counts.items() if k)
    yield "people", f"{len(answers.people):,}" if answers.people else "not named"
    yield "samples", f"{len(answers.leaves):,}"
    yield "questions", f"{len({tuple(sorted(row)) for row in answers.rows.tolist()}):,}"
    yield "triplets", f"{len(answers.triplets()):,}; tripletree answers tells more"


def _comparison_rows(said: Comparisons) -> Iterator[tuple[str, str]]:
    """The lines of `info` about comparisons."""
    people = {*said.who} - {None}
    yield "comparisons", f"{len(said.rows):,}"
    yield "people", f"{len(people):,}" if people else "not named"
    yield "samples", f"{len(said.leaves):,}"
    yield "triplets", f"{len(triplets_from_comparisons(said)):,} of which both halves are said"


def hierarchy_rows(hierarchy: Hierarchy) -> Iterator[tuple[str, str]]:
    """The lines of `info` about a hierarchy."""
    n, n_inner = hierarchy.n_leaves, hierarchy.n_nodes - hierarchy.n_leaves
    named = sum(x is not None for x in hierarchy.names or ())
    yield "leaves", f"{n:,}"
    names = ", all of them named" if named == n_inner else f", {named:,} of them named"
    yield "inner nodes", f"{n_inner:,}" + (names if named else "")
    repeated = _repeated(hierarchy)
    if repeated:
        yield "names that repeat", repeated
    yield "shape", shape_text(hierarchy)
    yield "depth", f"{int(hierarchy.depth.max()):,}"
    if hierarchy.ranks is not None:
        yield "ranks", _most_frequent(x for x in hierarchy.ranks if x is not None)
    yield "children", _degrees(hierarchy)
    yield "branch lengths", _lengths(hierarchy)
    if hierarchy.support is not None:
        yield "support", _support(hierarchy.support)
    if not hierarchy.rooted:
        return
    count, triples = count_triplets(hierarchy), comb(n, 3)
    share = f" ({percent(count, triples)})" if triples else ""
    yield "triplets displayed", f"{count:,} of {triples:,} triples of leaves{share}"
    identify = f"{decomposition_size(hierarchy, guarantee='identify'):,} triplets identify it"
    if hierarchy.incertae_sedis is None:
        identify += f", {decomposition_size(hierarchy, guarantee='rebuild'):,} rebuild it"
    yield "smallest set", identify


def _doubt_rows(value: Hierarchy | Ontology) -> Iterator[tuple[str, str]]:
    """The lines of `info` about what a file leaves open."""
    options = option_names(click.get_current_context().command)
    for k, text in enumerate(doubts(value)):
        yield "" if k else "doubts", in_shell(text, options)


def _repeated(hierarchy: Hierarchy) -> str:
    """Return names that several inner nodes have, or an inner node and a leaf."""
    from collections import Counter

    count = Counter(x for x in hierarchy.names or () if x is not None)
    count.update(x for x in count if x in hierarchy.leaves)
    return _most_frequent(x for x, k in count.items() for _ in range(k) if k > 1)


def _most_frequent(values: Iterable[str], most: int = 8) -> str:
    """Return the most frequent values with their numbers."""
    from collections import Counter

    count = Counter(values)
    shown = [f"{x} ({k:,})" for x, k in count.most_common(most)]
    return ", ".join(shown) + (f" and {len(count) - most:,} others" if len(count) > most else "")


def _ontology_rows(ontology: Ontology) -> Iterator[tuple[str, str]]:
    """The lines of `info` about an ontology."""
    n, several = len(ontology.leaves), len(ontology.multi_parent)
    named = sum(x is not None for x in ontology.names or ())
    yield "terms", f"{ontology.n_terms:,}" + (f", {named:,} of them named" if named else "")
    yield "leaves", f"{n:,} (terms without children)"
    roots = ontology.roots
    yield "roots", f"{len(roots):,}: {', '.join(map(str, roots[:5]))}" + (", ..." if len(roots) > 5 else "")
    yield "edges", _most_frequent(ontology.relations)
    some = f", as {ontology.multi_parent[0]}" if several else ""
    yield "several parents", f"{several:,} terms ({percent(several, ontology.n_terms)}){some}"
    if ontology.ranks is not None:
        yield "ranks", _most_frequent(x for x in ontology.ranks if x is not None)
    triples = comb(n, 3)
    if triples:
        count = count_triplets(ontology)
        yield "certain triplets", f"{count:,} of {triples:,} triples of leaves ({percent(count, triples)})"
        shares = ontology.resolution()
        trees = [f"{shares[x]:.1%} ({x})" for x in ("deepest", "first", "smallest")]
        yield "in one tree", f"{', '.join(trees)}: --parent deepest and so on"


def shape_text(hierarchy: Hierarchy) -> str:
    """Return how many inner nodes are binary, polytomies and unary."""
    degree = hierarchy.n_children[hierarchy.n_leaves :]
    binary, unary = int((degree == 2).sum()), int((degree == 1).sum())
    more = degree.size - binary - unary
    if degree.size == 0:
        return "a single leaf"
    if binary == degree.size:
        return "binary"
    parts = [f"{binary:,} binary"] if binary else []
    if more:
        parts.append(f"{counted(more, 'polytomy', 'polytomies')} of up to {int(degree.max()):,} children")
    parts.append(f"{unary:,} unary" if unary else "none unary")
    return ", ".join(parts)


def _degrees(hierarchy: Hierarchy, most: int = 8) -> str:
    """Return how many inner nodes have how many children."""
    import numpy as np

    degree, count = np.unique(hierarchy.n_children[hierarchy.n_leaves :], return_counts=True)
    parts = [f"{d:,} at {c:,}" for d, c in zip(degree.tolist(), count.tolist(), strict=True)]
    if len(parts) > most:
        parts = [*parts[: most - 1], "...", parts[-1]]
    return ", ".join(parts) + (" inner nodes" if parts and degree.sum() else "") or "none"


def _lengths(hierarchy: Hierarchy) -> str:
    import numpy as np

    length, height = hierarchy.length, hierarchy.height
    if length is None:
        return "none"
    known = int(np.isfinite(length[:-1]).sum())
    if height is None:
        return f"on {known:,} of {hierarchy.n_nodes - 1:,} branches"
    leaf, root = height[: hierarchy.n_leaves], float(height[-1])
    negative = int((length[:-1] < 0).sum())
    text = f"on all branches, root at height {root:.6g}, "
    text += "ultrametric" if float(np.ptp(leaf)) <= TOLERANCE * max(abs(root), 1e-300) else "not ultrametric"
    return text + (f", {counted(negative, 'branch', 'branches')} negative" if negative else "")


def _support(support: Any) -> str:
    known = support[support == support]
    return f"{known.min():.6g} to {known.max():.6g}, at {known.size:,} of {support.size:,} inner nodes"


def _triplet_rows(triplets: TripletSet) -> Iterator[tuple[str, str]]:
    """The lines of `info` about triplets."""
    n, used = len(triplets.leaves), int(triplets.used_leaves.size)
    weights = "" if triplets.weights is None else f", weighted, {triplets.weights.sum():.6g} in all"
    yield "triplets", f"{len(triplets):,}{weights}"
    yield "leaves", f"{n:,}" + (f", {n - used:,} of them in no triplet" if used < n else "")
    conflict = find_conflict(triplets)
    if conflict is not None:
        yield "consistent", f"no: {len(conflict):,} of them cannot hold together; tripletree explain shows why"
    elif n:
        inner = one_tree(triplets)
        yield (
            "consistent",
            f"yes: {counted(inner.n_nodes - n, 'inner node')} in OneTree's hierarchy ({shape_text(inner)})",
        )
    else:
        yield "consistent", "yes"


_ROWS: dict[str, Callable[[Any], Iterable[tuple[str, str]]]] = {
    "answers": answer_rows,
    "comparisons": _comparison_rows,
    "pairs": pair_rows,
    "triplets": _triplet_rows,
}


@click.command(
    epilog="""
    \b
    Examples:
      tripletree decompose sample:mammals | tripletree check -
      printf 'cat dog | eel\\ncat eel | dog\\n' | tripletree check - || echo "exit status $?"
      printf 'cat dog must\\ndog eel cannot\\n' | tripletree check -
    """
)
@click.argument("file")
@kind_option
@table_options("pairs", "triplets", "answers", "comparisons")
@format_option
@click.option(
    "-o", "--output", metavar="FILE", help="Write the triplets (or pairs) of the conflict, if any, to this file."
)
@click.pass_context
def check(
    ctx: click.Context, file: str, kind: str | None, options: dict[str, Any], format_: Any, output: str | None
) -> None:
    """Tell whether some hierarchy displays all triplets of FILE. 'tripletree explain' shows more.

    FILE may also hold odd-one-out answers, which are triplets, or pairs, must-links and cannot-links: then, whether
    some clustering satisfies all of them.

    Exit status: 0 if so, 1 if not (a conflict is shown: triplets that cannot hold together, any one less of them
    can), 2 if FILE cannot be read.
    """
    check_apart([file], [output])
    triplets = read_constraints(file, kind, format_=format_, table=options)
    if isinstance(triplets, PairwiseConstraints):
        check_pairs(ctx, triplets, output)
        return
    conflict = find_conflict(triplets)
    if conflict is None:
        say(f"consistent: {counted(len(triplets), 'triplet')} on {counted(len(triplets.leaves), 'leaf', 'leaves')}")
        return
    if output is not None:
        write_triplet_file(conflict.triplets.restrict(conflict.leaves), output)
    say(f"inconsistent. {conflict_text(conflict)}")
    ctx.exit(INCONSISTENT)
