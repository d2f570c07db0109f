"""The command for the answers of many people: ``answers``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
import numpy as np

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.consensus import AnswerConsensus
from tripletree.algorithms.consensus import aggregate_answers as consensus_of
from tripletree.cli.outputs import check_apart, check_picture_format, save_figure
from tripletree.cli.shell import bad_input, label_text, say, some
from tripletree.cli.sources import (
    blanks_option,
    given_name,
    read_answer_file,
    read_triplet_file,
    seed_option,
    table_options,
)
from tripletree.core.answers import ALIKE, Answer, AnswerSet
from tripletree.core.checks import counted
from tripletree.evaluation.known import KnownAnswers, check_known
from tripletree.evaluation.people import (
    Agreement,
    DisputedQuestion,
    agreement,
    find_disagreements,
    find_disputed_questions,
)
from tripletree.io import export_answers, forget_person, write_answers, write_newick
from tripletree.io.source import csv_text, named_stream, no_formula, raw_bytes, write_text
from tripletree.plots import plot_dendrogram
from tripletree.plots.page import write_html

#: Leaves of a clade, and people with one answer, that are written out.
MOST_LEAVES, MOST_PEOPLE = 8, 6


@click.command(
    epilog="""
    \b
    Examples:
      printf 'who,a,b,c,odd\\nanna,cat,dog,eel,eel\\nben,cat,dog,eel,eel\\ncleo,cat,dog,eel,cat\\n' > crowd.csv
      tripletree answers crowd.csv
      tripletree answers crowd.csv -o consensus.nwk --disputed disputed.csv --people people.csv --jsonl crowd.jsonl
    """
)
@click.argument("file")
@table_options("answers", missing=("--missing-answer", "--missing"))
@click.option(
    "-k", "--number", "k", type=click.IntRange(min=0), default=10, show_default=True, metavar="K",
    help="List up to K disputed questions, and K clades against which people answered.",
)  # fmt: skip
@click.option(
    "--min-support", type=click.FloatRange(0, 1), metavar="SHARE",
    help="Contract clades whose probability is at most this.  [default: clades without evidence]",
)  # fmt: skip
@click.option(
    "--known",
    metavar="FILE",
    help="Trios with a known answer, as triplets or answers: tell how many each person got right.",
)
@click.option("--without-quick", is_flag=True, help="Leave out answers that took less than a quarter second.")
@click.option("--equal-weights", is_flag=True, help="Count the answers of all people alike.")
@click.option(
    "--forget",
    metavar="NAME",
    help="Remove everything that this person said from FILE (JSON lines), and end. No page may be writing to it.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the consensus as Newick, with support from 0 to 1.")
@blanks_option
@click.option("--plot", "picture", metavar="FILE", help="Draw the consensus, with support in percent (png, pdf, svg).")
@click.option("--html", "page", metavar="FILE", help="Write it as a page for the browser.")
@click.option("--people", metavar="FILE", help="Write the table of people as CSV.")
@click.option("--disputed", metavar="FILE", help="Write all disputed questions as CSV, one answer a row.")
@click.option("--jsonl", metavar="FILE", help="Write the answers as JSON lines.")
@click.option(
    "--export",
    "folder",
    metavar="DIR",
    help="Write the answers for cblearn, salmon and R, and with the columns of BIDS, with what each column means.",
)
@seed_option
def answers(
    file: str,
    k: int,
    min_support: float | None,
    known: str | None,
    without_quick: bool,
    equal_weights: bool,
    forget: str | None,
    seed: int,
    output: str | None,
    blanks: Any,
    picture: str | None,
    page: str | None,
    people: str | None,
    disputed: str | None,
    jsonl: str | None,
    folder: str | None,
    options: dict[str, Any],
) -> None:
    """Summarize many people's answers to "which of these three is the odd one out?", who agrees, and where they differ.

    FILE is a table with three columns of items, one of the answer and perhaps one of the person (by their names, or as
    the options say), or JSON lines as 'tripletree ask' writes them, or what jsPsych, PsychoPy and Qualtrics save. A
    folder has a file a person. '-' is the standard input.

    It tells whether the answers are consistent and which questions have different answers. For each person it tells how
    far they agree with the others, on the same questions and with the consensus. It names people who answer at random
    or by another criterion. It counts the trios with a known answer that they got right (--known), and tells how long
    they took. Last comes the consensus: a hierarchy in which each person weighs as much as the others bear out, with
    the probability of each clade. The exit status is 0 even if people disagree.
    """
    if forget is not None:
        _forget(file, forget)
        return
    targets = [output, picture, page, people, disputed, jsonl]
    check_apart([file, known], targets)
    if targets.count("-") > 1:
        msg = "only one output can be the standard output"
        raise click.UsageError(msg)
    if picture is not None:
        check_picture_format(picture)
    given = read_answer_file(file if os.path.isdir(file) else named_stream(*raw_bytes(file)), options)
    if not len(given):
        raise bad_input(f"{given_name(file)} holds no answer")
    if without_quick and given.quick.any():
        if given.quick.all():
            raise bad_input(f"{given_name(file)}: every answer is quicker than a person can look")
        say(f"left out: {counted(int(given.quick.sum()), 'answer')} quicker than a person can look", err=True)
        given = given.subset(~given.quick)
    terminal = sys.stderr.isatty()
    questions = find_disputed_questions(given)
    found = agreement(given, random_state=seed, verbose=terminal)
    catch = None if known is None else read_triplet_file(known)
    right = None if catch is None else check_known(given, catch)
    if folder is not None:
        export_answers(given, folder, known=catch)
    common = None
    if (given.replies < ALIKE).any():
        common = consensus_of(
            given,
            weights=None if equal_weights else _weights(found),
            min_support=min_support,
            random_state=seed,
            verbose=terminal,
        )
    _write_files(given, found, right, questions, common, targets, blanks)
    parts = [_overview(given, questions, given_name(file))]
    parts += [_people_text(given, found, right, common), _questions_text(questions, k)]
    if common is not None:
        parts += [_consensus_text(common), _where_text(given, common, k)]
    say("\n\n".join(x for x in parts if x), err="-" in targets)


def _forget(file: str, who: str) -> None:
    """Remove everything that a person said from a file, which no page may be writing."""
    from tripletree.ask.session import keep_for_one

    if not os.path.isfile(file):
        raise bad_input(f"{file}: there is no such file")
    with keep_for_one(file):
        number = forget_person(file, who)
    if not number:
        raise bad_input(f"{file}: nothing is by {who!r}")
    say(f"{file}: {counted(number, 'line')} by {who} removed; exports and copies made before still have them")


def _weights(found: Agreement) -> dict[str | None, float]:
    """The weights of the people who name an odd one."""
    return {who: x for who, x in zip(found.people, found.weights.tolist(), strict=True) if not np.isnan(x)}


def _write_files(
    given: AnswerSet,
    found: Agreement,
    right: KnownAnswers | None,
    questions: Sequence[DisputedQuestion],
    common: AnswerConsensus | None,
    targets: Sequence[str | None],
    blanks: Any,
) -> None:
    output, picture, page, people, disputed, jsonl = targets
    if jsonl is not None:
        write_answers(given, jsonl)
    if people is not None:
        _write_table(people, _people_rows(given, found, right, common))
    if disputed is not None:
        _write_table(disputed, _disputed_rows(questions))
    if common is None:
        if output or picture or page:
            msg = "none of the answers names an odd one: there is no consensus to write"
            raise click.ClickException(msg)
        return
    if output is not None:
        write_newick(common.hierarchy, output, support=common.support, blanks=blanks)
    named = common.named()
    if picture is not None:
        save_figure(plot_dendrogram(named, node_labels="names").figure, picture)
    if page is not None:
        write_html(named, page)


def _write_table(path: str, rows: Iterator[Sequence[Any]]) -> None:
    write_text([csv_text(rows)], path)


# ---------------------------------------------------------------------- words


def _overview(given: AnswerSet, questions: Sequence[DisputedQuestion], name: str) -> str:
    """The number of answers, and whether they are consistent."""
    asked = len({tuple(sorted(row)) for row in given.rows.tolist()})
    of = f" of {counted(len(given.people), 'person', 'people')}" if given.people else ""
    unsure = int((given.replies == ALIKE + 2).sum())
    head = (
        f"{name}: {counted(len(given), 'answer')}{of} to {counted(asked, 'question')} about "
        f"{counted(len(given.leaves), 'sample')}" + (f", {unsure:,} of them unsure" if unsure else "")
    )
    quick = int(given.quick.sum())
    if quick:
        head += f", {quick:,} of them quicker than a person can look (--without-quick leaves them out)"
    themselves = sorted({who for x in questions for who in x.inconsistent_people})
    if questions:
        also = f"; {some(themselves, MOST_PEOPLE)} contradict themselves" if len(themselves) > 1 else ""
        also = f"; {themselves[0]} contradicts themself" if len(themselves) == 1 else also
        return f"{head}\ninconsistent: {counted(len(questions), 'question')} with different answers{also}"
    if is_consistent(given.triplets()):
        return f"{head}\nconsistent: a hierarchy displays all of them"
    return f"{head}\ninconsistent, though no question has different answers: tripletree explain shows which clash"


def _people_rows(
    given: AnswerSet, found: Agreement, right: KnownAnswers | None, common: AnswerConsensus | None
) -> Iterator[Sequence[Any]]:
    """The table of people, with a header."""
    yield (
        *("who", "answers", "unsure", "quick", "with others", "questions shared", "with itself", "questions repeated"),
        *("known", "known right", "with consensus", "with own hierarchy", "median seconds", "weight", "verdict"),
    )
    weight = {} if common is None else dict(zip(common.people, common.weights.tolist(), strict=True))
    known = {} if right is None else {who: k for k, who in enumerate(right.people)}
    for k, who in enumerate(found.people):
        shares = (found.with_others, found.with_itself, found.with_consensus, found.with_own_hierarchy)
        others, itself, consensus, own = ("" if np.isnan(x[k]) else f"{x[k]:.4f}" for x in shares)
        caught = ("", "") if right is None else (int(right.n_known[known[who]]), int(right.n_right[known[who]]))
        took = given.by(who).seconds
        took = took[~np.isnan(took)]
        yield (
            *(
                "" if who is None else no_formula(who),
                int(found.n_answers[k]),
                int(found.n_unsure[k]),
                int(found.n_quick[k]),
                others,
            ),
            *(int(found.n_shared[k]), itself, int(found.n_repeated[k]), *caught, consensus, own),
            *(f"{np.median(took):.2f}" if took.size else "", f"{weight[who]:.2f}" if who in weight else ""),
            found.verdict[k],
        )


def _people_text(given: AnswerSet, found: Agreement, right: KnownAnswers | None, common: AnswerConsensus | None) -> str:
    """The table of people in columns, the verdict last, with known answers and response times if there are any."""
    if len(found.people) == 1 and found.n_repeated[0] == 0 and right is None:
        return ""
    _, *rows = _people_rows(given, found, right, common)
    careless = set() if right is None else {x for x, y in zip(right.people, right.careless, strict=True) if y}
    timed = not np.isnan(given.seconds).all()
    caught, took = ["known right"] * (right is not None), ["seconds"] * timed
    shown = [["", "answers", "with others", "with itself", *caught, "with consensus", *took, "weight", ""]]
    for who, n, _, _, others, _, itself, _, n_known, n_right, consensus, own, seconds, weight, verdict in rows:
        others, itself, consensus = (f"{float(x):.0%}" if x else "-" for x in (others, itself, consensus))
        note = f" ({float(own):.0%} with their own other answers)" if own and verdict == "other criterion" else ""
        of = [f"{n_right} of {n_known}"] * (right is not None)
        note += ", misses known answers" if (who or None) in careless else ""
        time = [f"{float(seconds):.1f}" if seconds else "-"] * timed
        shown.append(
            [who or "(no name)", f"{n:,}", others, itself, *of, consensus, *time, weight or "-", verdict + note]
        )
    kappa = "" if np.isnan(found.kappa) else f"; beyond chance on the same questions: kappa {found.kappa:.2f}"
    return f"People (by chance, 33% agree with the consensus){kappa}:\n{_aligned(shown)}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns: texts at the ends on the left, numbers between them on the right."""
    width = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(width) - 1
    lines = []
    for row in rows:
        cells = [x.ljust(w) if k in (0, last) else x.rjust(w) for k, (x, w) in enumerate(zip(row, width, strict=True))]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    return "\n".join(lines)


def _who(given: Sequence[Answer]) -> str:
    """The person who gave an answer, with the line if there is no name."""
    names = [x.who if x.who is not None else f"line {x.line}" for x in given if x.who is not None or x.line is not None]
    return some(list(dict.fromkeys(names)), MOST_PEOPLE)


def _questions_text(questions: Sequence[DisputedQuestion], k: int) -> str:
    """The disputed questions."""
    if not questions or k == 0:
        return ""
    lines = []
    for x in questions[:k]:
        said = []
        for reply, given in x.answers.items():
            who = _who(given)
            said.append(f"{label_text(reply)} {len(given)}" + (f" ({who})" if who else ""))
        lines.append(f"  {' '.join(map(label_text, x.items))}: {', '.join(said)}")
    if len(questions) > k:
        lines.append(f"  ... {len(questions) - k:,} more: -k lists more, --disputed FILE writes all of them as a table")
    return "Questions with different answers, the largest minorities first:\n" + "\n".join(lines)


def _disputed_rows(questions: Sequence[DisputedQuestion]) -> Iterator[Sequence[Any]]:
    """All disputed questions, an answer a row."""
    yield ("question", "item_1", "item_2", "item_3", "answer", "n_answers", "who", "when", "seconds", "line")
    for number, x in enumerate(questions, 1):
        items = [*x.items, *[""] * (3 - len(x.items))]
        for reply, given in x.answers.items():
            for one in given:
                who = None if one.who is None else no_formula(one.who)
                more = ["" if value is None else value for value in (who, one.when, one.seconds, one.line)]
                yield (number, *items, reply, len(given), *more)


def _clade_text(leaves: Sequence[Any]) -> str:
    shown = " ".join(map(label_text, leaves[:MOST_LEAVES]))
    return shown if len(leaves) <= MOST_LEAVES else f"{shown} and {len(leaves) - MOST_LEAVES:,} more"


def _consensus_text(common: AnswerConsensus) -> str:
    """The clades with their support."""
    h = common.hierarchy
    head = f"Consensus: it displays {common.displayed:.1%} of the weight of the answers"
    if common.unresolved:
        head += f" and leaves {common.unresolved:.1%} of the trios unresolved"
    head += "; clades with their probability in percent"
    named = common.named().names or ()
    rows = [
        [_clade_text(h.clade(u)), "" if name is None else name]
        for u, name in enumerate(named, h.n_leaves)
        if u != h.root
    ]
    if not rows:
        return f"{head}\n  no clade is left: --min-support 0 shows the best guess"
    return f"{head}:\n{_aligned(rows)}"


def _where_text(given: AnswerSet, common: AnswerConsensus, k: int) -> str:
    """The clades of the consensus with which a person disagrees more often than not."""
    found = [x for x in find_disagreements(given, common.hierarchy) if 2 * x.against > x.total]
    if not found or k == 0:
        return ""
    lines = []
    for x in found[:k]:
        who = "(no name)" if x.who is None else x.who
        lines.append(f"  {who}: {x.against} of {counted(x.total, 'answer')} against {_clade_text(x.clade)}")
    if len(found) > k:
        lines.append(f"  ... {len(found) - k:,} more")
    return "Who disagrees where, more often than not:\n" + "\n".join(lines)
