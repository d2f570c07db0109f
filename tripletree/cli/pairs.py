"""The output of ``check``, ``explain``, ``describe`` and ``info`` about must-links and cannot-links."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from tripletree.algorithms.pair_conflict import Contradiction, find_contradictions
from tripletree.cli.shell import INCONSISTENT, MOST_SHOWN, bad_input, json_text, label_text, say, table_text
from tripletree.core.checks import counted
from tripletree.core.pairs import PairwiseConstraints, n_triplets
from tripletree.errors import InconsistentPairsError
from tripletree.io import write_pairs

#: Broken cannot-links among which the one with the fewest must-links is looked for.
LOOKED_AT = 100


def check_pairs(ctx: click.Context, pairs: PairwiseConstraints, output: str | None) -> None:
    """Tell whether some clustering satisfies all pairs, or show a contradiction and leave with status 1."""
    found = find_contradictions(pairs, LOOKED_AT)
    if not found:
        say(f"consistent: {_links(pairs)} on {counted(len(pairs.leaves), 'leaf', 'leaves')}")
        return
    if output is not None:
        _write(found[:1], output)
    total = _broken(pairs)
    more = f"\n{_more(total - 1)}" if total > 1 else ""
    say(f"inconsistent. {_in_words(found[0])}{more}")
    ctx.exit(INCONSISTENT)


def explain_pairs(
    ctx: click.Context, pairs: PairwiseConstraints, k: int, output: str | None, *, as_json: bool, other: str | None
) -> None:
    """Show up to k contradictions, the shortest first, and leave with status 1 if there are any.

    `other` is an option that was given, and is for triplets only.
    """
    if other is not None:
        raise bad_input(f"{other} is for triplets, and FILE holds pairs")
    found = find_contradictions(pairs, max(k, LOOKED_AT))[:k]
    total = _broken(pairs)
    if found and output is not None:
        _write(found, output)
    if as_json:
        click.echo(json_text([x.to_dict() for x in found]))
    elif found:
        head = [f"Conflict {i} of {total:,}. " if total > 1 else "" for i in range(1, len(found) + 1)]
        texts = [f"{title}{_in_words(x)}" for title, x in zip(head, found, strict=True)]
        if total > len(found):
            texts.append(_more(total - len(found)))
        say("\n\n".join(texts))
    else:
        say(f"consistent: no conflict among {_links(pairs)}")
    if found:
        ctx.exit(INCONSISTENT)


def pairs_text(pairs: PairwiseConstraints, *, as_json: bool) -> str:
    """Return the lines of `info` about pairs, in words or as JSON."""
    if not as_json:
        return f"{_links(pairs)}\n{table_text(pair_rows(pairs))}"
    values: dict[str, Any] = {
        "n_must": pairs.n_must,
        "n_cannot": pairs.n_cannot,
        "n_leaves": len(pairs.leaves),
        "n_used_leaves": int(pairs.used_leaves.size),
        "weighted": pairs.must_weights is not None,
        "consistent": pairs.is_consistent,
    }
    if pairs.is_consistent:
        values |= _implied(pairs)
    else:
        values["n_broken"] = _broken(pairs)
    return json.dumps(values, indent=2)


def pair_rows(pairs: PairwiseConstraints) -> Iterator[tuple[str, str]]:
    """The lines of `info` about pairs, as names and texts."""
    n, used = len(pairs.leaves), int(pairs.used_leaves.size)
    yield "must-links", f"{pairs.n_must:,}"
    yield "cannot-links", f"{pairs.n_cannot:,}"
    yield "leaves", f"{n:,}" + (f", {n - used:,} of them in no pair" if used < n else "")
    if pairs.must_weights is not None and pairs.cannot_weights is not None:
        every = [*pairs.must_weights.tolist(), *pairs.cannot_weights.tolist()]
        yield "weights", f"{min(every):g} to {max(every):g}"
    if not pairs.is_consistent:
        broken = counted(_broken(pairs), "cannot-link")
        yield "consistent", f"no: must-links break {broken}; tripletree explain shows how"
        return
    yield "consistent", "yes"
    said = _implied(pairs)
    groups = f"{said['n_groups']:,} by must-links"
    yield "groups", groups + (f", the largest of {said['largest_group']:,} leaves" if said["n_groups"] else "")
    yield "kept apart", counted(said["n_apart"], "pair of groups or single leaves", "pairs of groups or single leaves")
    must, cannot = counted(said["n_must_implied"], "must-link"), counted(said["n_cannot_implied"], "cannot-link")
    yield "implied", f"{must} and {cannot} in all"
    yield "triplets", f"{said['n_triplets']:,} for their meaning for hierarchies"


def _implied(pairs: PairwiseConstraints) -> dict[str, int]:
    """Return the consequences of consistent pairs, in numbers."""
    closure = pairs.closure()
    sizes = closure.sizes[closure.sizes > 1]
    return {
        "n_groups": int(sizes.size),
        "largest_group": int(sizes.max(initial=0)),
        "n_apart": int(closure.cannot.shape[0]),
        "n_must_implied": closure.n_must,
        "n_cannot_implied": closure.n_cannot,
        "n_triplets": n_triplets(closure),
    }


def _broken(pairs: PairwiseConstraints) -> int:
    """Return how many cannot-links must-links break."""
    try:
        pairs.closure()
    except InconsistentPairsError as error:
        return error.n_others + 1
    return 0


def _links(pairs: PairwiseConstraints) -> str:
    return f"{counted(pairs.n_must, 'must-link')} and {counted(pairs.n_cannot, 'cannot-link')}"


def _more(n: int) -> str:
    shown = "1 more cannot-link is" if n == 1 else f"{n:,} more cannot-links are"
    return f"{shown} broken; tripletree explain -k shows several."


def _in_words(found: Contradiction) -> str:
    """Return the links of a contradiction, each with its line."""
    first, last = map(label_text, found.cannot_link)
    m = len(found.path) - 1
    if m == 1:
        head = f"{first} and {last} are linked both ways:"
    else:
        head = f"These {m:,} must-links put {first} and {last} together, which a cannot-link keeps apart:"
    links = found.to_dict()["links"]
    shown = links if len(links) <= MOST_SHOWN else [*links[: MOST_SHOWN - 1], None, links[-1]]
    rows = []
    for link, origin in zip(shown, [*found.origins[: len(shown) - 1], found.origins[-1]], strict=True):
        if link is None:
            rows.append((f"({len(links) - MOST_SHOWN:,} more)", ""))
            continue
        place = "" if origin is None else f"{origin.unit} {origin.number}"
        rows.append((f"{label_text(link['a'])} {label_text(link['b'])} {link['link']}", place))
    return f"{head}\n{table_text(rows)}"


def _write(found: Sequence[Contradiction], output: str) -> None:
    """The pairs of contradictions, over the leaves in them."""
    clashing = found[0].pairs
    for x in found[1:]:
        clashing = clashing | x.pairs
    write_pairs(clashing.restrict([clashing.leaves[i] for i in clashing.used_leaves.tolist()]), output)
