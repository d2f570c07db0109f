"""The results as files: answers, triplets, clusters, the hierarchy, a page to fold it and a report."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tripletree.ask.outline import representatives
from tripletree.ask.session import Findings, Session
from tripletree.core.html import escaped
from tripletree.io import write_answers, write_newick, write_triplets
from tripletree.io.answer_exports import exported_answers
from tripletree.io.source import csv_text
from tripletree.plots import to_html


class Export(NamedTuple):
    """A file to save: the key of its title, its media type, the function that writes it, whether it needs a model."""

    title: str
    media_type: str
    make: Callable[[Session], str]
    needs_model: bool = True


def _written(write: Callable[[Any, Any], Any], value: Any) -> str:
    text = io.StringIO()
    write(value, text)
    return text.getvalue()


def _clusters(session: Session) -> str:
    found = session.snapshot()
    rows = zip(session.cards.names, (found.clusters + 1).tolist(), found.uncertainty.tolist(), strict=True)
    return csv_text([("label", "cluster", "uncertainty"), *((name, k, f"{doubt:.4f}") for name, k, doubt in rows)])


def _newick(session: Session) -> str:
    return _written(write_newick, session.snapshot().make_hierarchy())


def _page(session: Session) -> str:
    found = session.snapshot()
    h, number = found.make_hierarchy(), dict(zip(session.cards.names, (found.clusters + 1).tolist(), strict=True))
    return to_html(h, triplets=found.answers.triplets(), clusters=[number[x] for x in h.leaves], title=session.title)


STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1b1e23;
background:#fff}table{border-collapse:collapse;margin:1em 0}td,th{border-bottom:1px solid #d5d9e0;padding:.25em .8em;
text-align:left;
vertical-align:top;overflow-wrap:anywhere}td.n,th.n{text-align:right}img{max-width:100%}small{color:#5a6270}"""


def _report(session: Session) -> str:
    """Write a page without scripts about the answers, the clusters and the hierarchy."""
    found = session.snapshot()
    cards, answers, clusters = session.cards, found.answers, found.clusters
    sizes = np.bincount(clusters).tolist()
    kinds = ["the odd one named"] * 3 + ["all alike", "all different", "cannot say"]
    told = [(name, sum(int(np.count_nonzero(answers.replies == k)) for k in codes)) for name, codes in _grouped(kinds)]
    people = [(who, len(answers.by(who))) for who in answers.people]
    nameless = len(answers) - sum(number for _, number in people)
    if nameless:
        people.append(("without a name", nameless))
    rows = []
    for k, size in enumerate(sizes):
        chosen = representatives(np.flatnonzero(clusters == k), cards.values, 5)
        rows.append((k + 1, size, f"{found.sure[k]:.0%}", ", ".join(map(cards.name, chosen))))
    parts = [
        f"<h1>{escaped(session.title)}</h1>",
        f"<p>{len(cards.names):,} samples, {len(answers):,} answers to the question which of three does not belong; "
        f"{len(rows):,} clusters.</p>",
        "<h2>Clusters</h2>",
        _table(("cluster", "samples", "sure", "such as"), rows),
        "<h2>Hierarchy</h2>",
        found.make_hierarchy()._repr_html_(),
        "<h2>Answers</h2>",
        _table(("said", "times"), told),
        _table(("person", "answers"), people) if people else "",
        *_doubted(session, found),
        "<p><small>How sure: one minus the uncertainty of the cluster, as the model estimates it. The answers may "
        "contradict each other; <code>tripletree answers</code> shows where.</small></p>",
    ]
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(session.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _doubted(session: Session, found: Findings) -> list[str]:
    """The table of the answers that do not hold in the clusters."""
    if not len(found.doubted):
        return []
    row = {name: k for k, name in enumerate(session.cards.names)}
    lines = []
    for answer in found.doubted:
        names = [session.cards.name(row[x]) for x in answer.items]
        said = f"odd: {names[answer.items.index(answer.odd)]}" if answer.kind == "odd" else answer.kind
        lines.append((", ".join(names), said, answer.who or ""))
    return [
        "<h2>Answers that do not hold in the clusters</h2>",
        "<p>Other answers, or the samples themselves, contradict them: they may be mistakes.</p>",
        _table(("shown", "said", "person"), lines),
    ]


def _grouped(kinds: list[str]) -> list[tuple[str, list[int]]]:
    """Group the codes of replies that have the same name."""
    return [(name, [k for k, x in enumerate(kinds) if x == name]) for name in dict.fromkeys(kinds)]


def _table(head: tuple[str, ...], rows: Any) -> str:
    def line(cells: Any, kind: str, numbers: list[bool]) -> str:
        marks = (' class="n"' if number else "" for number in numbers)
        return (
            "<tr>" + "".join(f"<{kind}{m}>{escaped(x)}</{kind}>" for x, m in zip(cells, marks, strict=True)) + "</tr>"
        )

    rows = list(rows)
    numbers = [bool(rows) and isinstance(x, int) for x in (rows[0] if rows else head)]
    return f"<table>{line(head, 'th', numbers)}{''.join(line(row, 'td', numbers) for row in rows)}</table>"


#: The files by their names.
EXPORTS = {
    "answers.jsonl": Export("fileAnswers", "application/jsonl", lambda session: write_answers(session.answers), False),
    "triplets.txt": Export(
        "fileTriplets", "text/plain", lambda session: _written(write_triplets, session.answers.triplets()), False
    ),
    "clusters.csv": Export("fileClusters", "text/csv", _clusters),
    "hierarchy.nwk": Export("fileNewick", "text/plain", _newick),
    "hierarchy.html": Export("fileHierarchy", "text/html", _page),
    "report.html": Export("fileReport", "text/html", _report),
}


_MEDIA_TYPES = {".csv": "text/csv", ".tsv": "text/tab-separated-values", ".json": "application/json"}


def media_type_of(name: str) -> str:
    """Return the media type of a file."""
    known = EXPORTS.get(name)
    return known.media_type if known else _MEDIA_TYPES[os.path.splitext(name)[1]]


def exports_of(session: Session) -> dict[str, Export]:
    """Return the files of a session by their names. Without a model there are no clusters and no hierarchy."""
    return {name: x for name, x in EXPORTS.items() if session.model is not None or not x.needs_model}


def files_of(session: Session) -> dict[str, Callable[[], str]]:
    """Return all files of a session, also those for other programs, each as a function that makes its text."""
    own = {name: partial(x.make, session) for name, x in exports_of(session).items()}
    return exported_answers(session.answers, session.study.design.catch) | own
