"""The command that asks people: ``tripletree ask``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from tripletree.cli.shell import bad_input, busy, say
from tripletree.cli.tables import Table, decimal_option, read_table
from tripletree.core.checks import counted
from tripletree.io.source import write_atomic
from tripletree.reports.analysis import standardized

if TYPE_CHECKING:
    from tripletree.ask.session import Session

#: Dimensions to which the words of texts are reduced.
DIMENSIONS = 100


@click.command(
    epilog="""
    \b
    Examples:
      printf 'name,legs,wings\\ncat,4,0\\ndog,4,0\\nwren,2,2\\nrook,2,2\\neel,0,0\\ncarp,0,0\\n' > animals.csv
      printf '{"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}\\n' > answers.jsonl
      tripletree ask animals.csv --answers answers.jsonl --export found
    """
)
@click.argument("data")
@click.option(
    "--images", type=click.Path(path_type=Path), metavar="DIR", help="A folder with a picture called by each label."
)
@click.option("--text", "text_column", metavar="COLUMN", help="A column of DATA with a text to show for each sample.")
@click.option(
    "--answers",
    "path",
    default="answers.jsonl",
    show_default=True,
    metavar="FILE",
    help="Answers so far; each new one is appended.",
)
@click.option("--who", metavar="NAME", help="The person who answers; others type their names into the page.")
@click.option(
    "--questions",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="How many answers there are to be in all, with those in the file already, of all people together.",
)
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Ask nothing: write the content of the answers.",
)
@click.option("--standardize", is_flag=True, help="Give every column mean 0 and deviation 1 first.")
@decimal_option
@click.option("--index-column", metavar="NAME", help="The column of labels.")
@click.option("--drop", multiple=True, metavar="NAME", help="Leave this column out; may be repeated.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the questions.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default="any free one", metavar="N")
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def ask(
    data: str,
    images: Path | None,
    text_column: str | None,
    path: str,
    who: str | None,
    questions: int,
    folder: Path | None,
    standardize: bool,
    decimal: str,
    index_column: str | None,
    drop: tuple[str, ...],
    seed: int,
    host: str,
    port: int,
    no_browser: bool,
) -> None:
    """Ask people which of three samples does not belong, on a page in the browser.

    DATA is a table as for `tripletree cluster`: a column of labels and columns of numbers, of which few questions
    are made that tell much. A person sees three cards, with numbers, the texts of a column or pictures, and answers
    with a click or a key. Beside them stand the clusters and the hierarchy that the answers and the numbers make. If a
    column of texts is all there is, their words take the place of the numbers.

    Each answer is on disk before the next question is shown. The same command goes on where the file of answers ends,
    even if it was killed. Ctrl + C ends the page. It is for those who have its address, and unless --host says
    otherwise for this machine only. All who have the address can answer at once, each under a name.
    """
    if images is not None and text_column is not None:
        msg = "give --images or --text: cards show one of them"
        raise click.UsageError(msg)
    if folder is not None and not os.path.exists(path):
        raise bad_input(f"{path}: there is no such file of answers, so there is nothing to export")
    from tripletree.ask import address_of, import_server, open_session
    from tripletree.cluster import OddOneOutClustering

    server = None if folder is not None else import_server("tripletree ask")
    table = read_table(data, index_column=index_column, text_column=text_column, drop=drop, decimal=decimal)
    if len(table.labels) < 3:
        raise bad_input(f"{data}: {counted(len(table.labels), 'sample')}; a question shows three")
    values, columns = _values(table, standardize, seed)
    title = "standard input" if data == "-" else Path(data).name
    with busy("reading the answers and looking for a question"):
        session = open_session(
            OddOneOutClustering(n_questions=questions, random_state=seed),
            values,
            answers=path,
            only_read=folder is not None,
            sample_names=table.labels,
            texts=table.texts,
            images=images,
            columns=columns,
            title=title,
        )
    with session:
        missing = session.cards.images.missing if session.cards.images is not None else []
        if missing:
            names = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
            say(f"{counted(len(missing), 'sample')} without a picture, shown by name: {names}", err=True)
        if folder is not None:
            _export(session, folder)
            return
        assert server is not None
        sock = server.listen(host, port)
        if not server.is_loopback(host):
            say("everybody who can reach this machine and has the address can answer; it is sent unencrypted", err=True)

        def announce(address: str) -> None:
            address = address_of(address, who)
            say(f"{counted(len(session.model.answers_), 'answer')} in {path}; Ctrl + C ends", err=True)
            click.echo(address)
            if not no_browser:
                click.launch(address)

        server.run(session, sock, host, announce)
        say(f"{counted(len(session.model.answers_), 'answer')} in {path}", err=True)


def _values(table: Table, standardize: bool, seed: int) -> tuple[np.ndarray, list[str] | None]:
    """The numbers of the samples. Without columns of numbers, numbers of the words of their texts."""
    if table.columns:
        return standardized(table.values) if standardize else table.values, table.columns
    assert table.texts is not None
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    try:
        words = TfidfVectorizer(sublinear_tf=True).fit_transform(table.texts)
    except ValueError:
        raise bad_input("the texts hold no words, and there is no column of numbers") from None
    most = min(DIMENSIONS, min(words.shape) - 1)
    if most < 2:
        return words.toarray(), None
    return normalize(TruncatedSVD(most, random_state=seed).fit_transform(words)), None


def _export(session: Session, folder: Path) -> None:
    """Write the content of the answers into a folder, and the names of the files."""
    from tripletree.ask.exports import EXPORTS, export

    folder.mkdir(parents=True, exist_ok=True)
    for name in EXPORTS:
        with write_atomic(folder / name) as stream:
            stream.write(export(session, name))
        click.echo(str(folder / name))
