"""The command that asks people: ``tripletree ask``."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from tripletree.ask.design import RANDOM
from tripletree.ask.images import names_of_pictures
from tripletree.ask.session import SHOWN
from tripletree.ask.texts import LANGUAGES
from tripletree.cli.shell import bad_input, busy, say
from tripletree.cli.sources import format_of_nodes, read_triplet_file, recognised
from tripletree.cli.tables import SQUARES, Table, check_metric, decimal_option, read_table
from tripletree.core.checks import counted
from tripletree.core.triplets import TripletSet
from tripletree.errors import ParseError
from tripletree.io import read_hierarchy, write_answers, write_triplets
from tripletree.io.comparisons import TrioRows
from tripletree.io.source import decoded, named_stream, raw_bytes, write_folder
from tripletree.io.table import read_table as read_rows
from tripletree.reports.table import standardized
from tripletree.tables.cells import column_word

if TYPE_CHECKING:
    from tripletree.ask.session import Session

#: Dimensions to which the words of texts are reduced.
DIMENSIONS = 100


#: Headers of a file of trios.
_HEADERS = [
    *(("a", "b", "c"), ("x", "y", "z"), ("i", "j", "k"), ("first", "second", "third"), ("left", "middle", "right")),
    *(("item_1", "item_2", "item_3"), ("item1", "item2", "item3"), ("1", "2", "3")),
]


#: Keys of a study file that are not options.
_WORDS = ("question", "instructions", "consent", "end", "completion_code", "return_address")
_DESIGN = ("practice", "break_after", "fixed", "pause", "invited")


def _read_study(ctx: click.Context, _option: click.Parameter, value: str | None) -> dict[str, Any]:
    """The keys of a study file that name no option. The others become defaults of options."""
    if value is None:
        return {}
    raw, name = raw_bytes(value)
    try:
        given = tomllib.loads(decoded(raw, name))
    except tomllib.TOMLDecodeError as error:
        raise bad_input(f"{name}: this is no TOML: {error}") from None
    given = {key.replace("-", "_"): x for key, x in given.items()}
    parameters = {x.opts[-1].lstrip("-").replace("-", "_"): x for x in ctx.command.params if x.name != "study"}
    known = [*parameters, *_WORDS, *_DESIGN]
    unknown = [key for key in given if key not in known]
    if unknown:
        near = get_close_matches(unknown[0], known, 1)
        meant = f"; did you mean {near[0]!r}?" if near else f"; the keys are {', '.join(known)}"
        raise bad_input(f"{name}: there is no key {unknown[0]!r}{meant}")
    ctx.default_map = {parameters[key].name or "": x for key, x in given.items() if key in parameters}
    return {key: x for key, x in given.items() if key not in parameters}


@click.command(
    epilog="""
    \b
    Examples:
      printf 'name,legs,wings\\ncat,4,0\\ndog,4,0\\nwren,2,2\\nrook,2,2\\neel,0,0\\ncarp,0,0\\n' > animals.csv
      printf '{"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}\\n' > answers.jsonl
      tripletree ask animals.csv --answers answers.jsonl --export found
    """
)
@click.argument("data", required=False)
@click.option(
    "--study",
    is_eager=True,
    callback=_read_study,
    metavar="FILE",
    help="A file in TOML with any of these options, and the words of a study: question, instructions, consent, end.",
)
@click.option(
    "--images",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder with a picture called by each label; without DATA, each of its pictures is a sample.",
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
    help="How many questions each person answers, with those in the file already.",
)
@click.option(
    "--overlap",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="By how many people each trio is answered, before a new one is asked.",
)
@click.option(
    "--repeats",
    type=click.FloatRange(0, 0.5),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="The share of the questions of each person that are asked again, later.",
)
@click.option(
    "--catch",
    metavar="FILE",
    help="Trios whose answer is known, which everybody gets: triplets or answers; or a hierarchy, or 'features' for "
    "the numbers of DATA, of which 20 clear trios are taken and written beside the answers, for you to look at.",
)
@click.option(
    "--catch-share",
    type=click.FloatRange(0, 0.5),
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="The share of the questions of each person that are catch trios.",
)
@click.option(
    "--trios",
    metavar="FILE",
    help="The trios to ask, three labels a line, instead of chosen ones; or 'random': they are drawn, each sample "
    "about as often as the others.",
)
@click.option(
    "--forced-choice", is_flag=True, help="People name one of the three: no 'alike', 'different', 'cannot say'."
)
@click.option(
    "--show",
    multiple=True,
    type=click.Choice([*SHOWN, "all"]),
    help="Shown in addition to the question: labels of pictures, clusters so far, other people, links to files. May "
    "be repeated.",
)
@click.option(
    "--language", type=click.Choice(LANGUAGES), show_default="that of the browser", help="Language of the page."
)
@click.option("--title", metavar="TEXT", show_default="name of DATA", help="Title of the page.")
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Ask nothing: write the content of the answers.",
)
@click.option(
    "--pilot",
    "pilot_people",
    type=click.IntRange(min=1, max=500),
    metavar="PEOPLE",
    help="Ask nobody: let so many simulated people answer, and tell what the design can show.",
)
@click.option("--standardize", is_flag=True, help="Give every column mean 0 and deviation 1 first.")
@click.option(
    "--metric",
    type=click.Choice(["euclidean", "cosine", *SQUARES]),
    default="euclidean",
    show_default=True,
    help="The distance of samples, or of a square table of DATA itself: precomputed (distances), similarity.",
)
@decimal_option
@click.option("--index-column", metavar="NAME", help="The column of labels.")
@click.option("--drop", multiple=True, metavar="NAME", help="Leave this column out; may be repeated.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the questions.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default="the last, or any", metavar="N")
@click.option(
    "--public",
    metavar="ADDRESS",
    help="The address at which a proxy on this machine shows the page, such as https://study.example.org/.",
)
@click.option(
    "--watch", is_flag=True, help="Also a page for the leader of the study: who is where, agreement, the tree, files."
)
@click.option("--new-address", is_flag=True, help="Make another address; links that people have end.")
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def ask(
    data: str | None,
    study: dict[str, Any],
    images: Path | None,
    text_column: str | None,
    path: str,
    who: str | None,
    questions: int,
    overlap: int,
    repeats: float,
    catch: str | None,
    catch_share: float,
    trios: str | None,
    forced_choice: bool,
    show: tuple[str, ...],
    language: str | None,
    title: str | None,
    folder: Path | None,
    pilot_people: int | None,
    standardize: bool,
    metric: str,
    decimal: str,
    index_column: str | None,
    drop: tuple[str, ...],
    seed: int,
    host: str,
    port: int,
    public: str | None,
    watch: bool,
    new_address: bool,
    no_browser: bool,
) -> None:
    """Ask people which of three samples does not belong, on a page in the browser.

    DATA is a table as for `tripletree cluster`: a column of labels and columns of numbers, of which few questions
    are made that tell much. A person sees three cards, with numbers, the texts of a column or pictures, and answers
    with a click or a key. If a column of texts is all there is, their words take the place of the numbers. With labels
    or pictures alone, of up to 2,000 samples, questions are chosen by the answers so far. --trios random draws them.

    Each answer is on disk before the next question is shown. The same command goes on where the file of answers ends,
    even if it was killed, at the same address, which is kept beside the answers. Ctrl + C ends the page. It is for
    those who have its address, and unless --host says otherwise for this machine only. All who have the address can
    answer at once, each under a name.

    For a study, --overlap lets several people answer each trio, --repeats and --catch tell who answers with care;
    'tripletree answers' reports. People see nothing that could sway them unless --show says so.
    """
    if images is not None and text_column is not None:
        msg = "give --images or --text: cards show one of them"
        raise click.UsageError(msg)
    if data is None and images is None and trios in (None, RANDOM):
        msg = "give DATA, or --images DIR, or --trios FILE: there is nothing to ask about"
        raise click.UsageError(msg)
    if data is None and text_column is not None:
        msg = "--text names a column of DATA, which is missing"
        raise click.UsageError(msg)
    if folder is not None and not os.path.exists(path):
        raise bad_input(f"{path}: there is no such file of answers, so there is nothing to export")
    from tripletree.ask import Design, Wording, address_of, import_server, open_session

    if folder is not None and pilot_people is not None:
        msg = "give --export or --pilot: the answers of a pilot are not those of the study"
        raise click.UsageError(msg)
    server = None if folder is not None or pilot_people is not None else import_server("tripletree ask")
    if server is not None:
        public = server.check_public(public)
    table = None
    values, columns, labels = None, None, None
    if data is not None:
        check_metric(metric, standardize)
        table = read_table(
            data,
            index_column=index_column,
            text_column=text_column,
            drop=drop,
            metric=metric,
            decimal=decimal,
            needs_numbers=False,
        )
        values, columns = _values(table, standardize, seed)
        labels = table.labels
    elif images is not None:
        labels = names_of_pictures(images)
    given = trios if trios in (None, RANDOM) else _read_trios(trios, labels)
    labels = labels if labels is not None else list(dict.fromkeys(x for trio in given or () for x in trio))
    if len(labels) < 3:
        raise bad_input(f"{data or images or trios}: {counted(len(labels), 'sample')}; a question shows three")
    if isinstance(study.get("invited"), str):
        codes = decoded(*raw_bytes(study["invited"])).splitlines()
        study = {**study, "invited": [x for x in codes if x.strip()]}
    if "practice" in study:
        study = {**study, "practice": read_triplet_file(str(study["practice"]))}
    numbers = None if metric in SQUARES else values
    design = Design(
        n_questions=questions,
        overlap=overlap,
        repeats=repeats,
        catch=None if catch is None else _catch_trios(catch, labels, numbers, path, seed, write=folder is None),
        catch_share=catch_share,
        trios=given,
        forced_choice=forced_choice,
        random_state=seed,
        **{key: x for key, x in study.items() if key in _DESIGN},
    )
    wording = Wording(**{key: x for key, x in study.items() if key in _WORDS})
    wording.check_language(language or "")
    model = _model_for(values, labels, trios, seed, "euclidean" if table is None else table.metric)
    with busy("reading the answers and looking for a question"):
        session = open_session(
            model,
            values,
            answers=None if pilot_people is not None else path,
            only_read=folder is not None,
            design=design,
            show=show,
            wording=wording,
            sample_names=labels,
            texts=None if table is None else table.texts,
            images=images,
            columns=columns,
            title=title or ("standard input" if data == "-" else Path(data or images or trios or "").name),
        )
    with session:
        missing = session.cards.images.missing if session.cards.images is not None else []
        if missing:
            names = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
            say(f"{counted(len(missing), 'sample')} without a picture, shown by name: {names}", err=True)
        if folder is not None:
            _export(session, folder)
            return
        if pilot_people is not None:
            _pilot(session, numbers, pilot_people, seed, path)
            return
        assert server is not None
        place = server.listen(host, port, path, new_address=new_address, watch=watch)
        if not server.is_loopback(host):
            say("everybody who can reach this machine and has the address can answer; it is sent unencrypted", err=True)

        def announce(address: str, leader: str | None) -> None:
            address = address_of(address, who)
            say(f"{counted(len(session.study), 'answer')} in {path}; Ctrl + C ends", err=True)
            click.echo(address)
            if leader:
                click.echo(f"for the leader alone: {leader}")
            if not no_browser:
                click.launch(leader or address)

        server.run(session, place, host, announce, language or "", public)
        say(f"{counted(len(session.study), 'answer')} in {path}", err=True)


def _model_for(values: np.ndarray | None, labels: Sequence[Any], trios: str | None, seed: int, metric: str) -> Any:
    """The model that chooses the questions; None for more samples without numbers than it takes."""
    from tripletree.cluster import OddOneOutClustering
    from tripletree.cluster.odd_one_out.clustering import MOST_NAMES

    if values is None and len(labels) > MOST_NAMES:
        how = "trios are drawn at random, and " if trios is None else ""
        say(f"{counted(len(labels), 'sample')} without numbers: {how}no hierarchy is made", err=True)
        return None
    return OddOneOutClustering(metric="euclidean" if values is None else metric, random_state=seed)


def _read_trios(path: str, labels: Sequence[str] | None) -> list[tuple[str, ...]]:
    """The trios of a table of three columns."""
    try:
        table = read_rows(path, spaced=True, known=lambda names: tuple(map(column_word, names)) in _HEADERS)
        if len(table.columns) != 3:
            raise bad_input(
                f"{path}: a file of trios has three labels a line, not {counted(len(table.columns), 'column')}"
            )
        rows = TrioRows(table, [0, 1, 2], "the three labels of a trio must differ")
        known = None if labels is None else set(labels)
        for number, trio in enumerate(rows.labels):
            unknown = [x for x in trio if known is not None and x not in known]
            if unknown:
                table.refuse(number, f"{unknown[0]!r} is none of the {counted(len(known or ()), 'sample')}")
    except ParseError as error:
        raise bad_input(str(error)) from None
    return [tuple(trio) for trio in rows.labels]


def _catch_trios(
    source: str, labels: Sequence[str], values: np.ndarray | None, answers: str, seed: int, *, write: bool
) -> TripletSet:
    """The trios whose answer is known, of a file, or clear ones of a hierarchy or of the numbers.

    Clear ones are written into a file, which is taken from then on: people may have deleted some from it.
    """
    from tripletree.ask import find_clear_trios

    path = f"{os.path.splitext(answers)[0]}-catch.txt"
    if source == "features":
        if values is None:
            msg = "--catch features needs columns of numbers in DATA"
            raise click.UsageError(msg)
        hierarchy = None
    else:
        raw, name = raw_bytes(source)
        if recognised(raw, name) == "answers" or format_of_nodes(raw, name) is None:
            return read_triplet_file(source)
        hierarchy = read_hierarchy(named_stream(raw, name))
    if os.path.exists(path):
        found = read_triplet_file(path)
        if write:
            say(f"{counted(len(found), 'catch trio')} as in {path}", err=True)
        return found
    if hierarchy is None:
        found = find_clear_trios(values, sample_names=labels, random_state=seed)
    else:
        shared = [x for x in labels if x in hierarchy.leaves]
        if len(shared) < 3:
            leaves = counted(hierarchy.n_leaves, "leaf", "leaves")
            raise bad_input(f"--catch {source}: of its {leaves} {len(shared)} are samples; a trio needs three")
        found = find_clear_trios(hierarchy.restrict(shared), random_state=seed)
    if not len(found):
        raise bad_input(f"--catch {source}: it has no trio with a clear odd one")
    if write:
        write_triplets(found, path)
        number = counted(len(found), "catch trio")
        say(f"{number} in {path}: check that they are clear to people, too, and delete the others", err=True)
    return found


def _values(table: Table, standardize: bool, seed: int) -> tuple[np.ndarray | None, list[str] | None]:
    """Return the numbers of the samples, or their distances, else numbers for the words of their texts, if any."""
    if table.metric == "precomputed":
        return table.values, None
    if table.columns:
        return standardized(table.values) if standardize else table.values, table.columns
    if table.texts is None:
        return None, None
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
    """Write the results into a folder, and print the file names."""
    from tripletree.ask.exports import files_of

    for path in write_folder(folder, {name: make() for name, make in files_of(session).items()}):
        click.echo(str(path))


def _pilot(session: Session, values: np.ndarray | None, people: int, seed: int, path: str) -> None:
    """Tell what the design of a study can show, and write the simulated answers beside the real ones."""
    from tripletree.cli.piloting import pilot

    with busy("simulating the study"):
        answers, report = pilot(session, values, people, seed)
    target = f"{os.path.splitext(path)[0]}-pilot.jsonl"
    write_answers(answers, target)
    say(report)
    say(
        f"\nThe simulated answers are in {target}, for a try of 'tripletree answers'. Another --seed simulates another "
        "study."
    )
