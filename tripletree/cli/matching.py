"""The command ``match``: which taxa of a hierarchy the names of samples mean."""

from __future__ import annotations

import shlex
from typing import Any

import click
from click.core import ParameterSource

from tripletree.algorithms.names import NameMatches, match_names
from tripletree.cli.outputs import check_apart
from tripletree.cli.reading import CHOOSE_PARENTS, opened_again, read_names_of, reading_options
from tripletree.cli.shell import bad_input, say
from tripletree.cli.sources import blanks_option, output_option
from tripletree.cli.spelling import in_shell, option_names
from tripletree.cli.tables import decimal_option
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import NotATreeError, ParseError, UnknownLeafError
from tripletree.io import read_annotations, registry, write_newick
from tripletree.io.source import csv_text, read_text, write_text
from tripletree.io.table import read_table
from tripletree.tables.cells import cell_text


@click.command(
    epilog="""
    \b
    Examples:
      printf 'homo sapiens\\nPan paniscuss\\nGorilla beringei\\n' | tripletree match - sample:primates -o matches.csv
      sed 's/^Gorilla beringei,[^,]*,/Gorilla beringei,Homininae,/' matches.csv > mine.csv
      printf 'homo sapiens\\nPan paniscuss\\nGorilla beringei\\n' > names.txt
      tripletree match names.txt sample:primates --edited mine.csv --tree mine.nwk
    """
)
@click.argument("names")
@click.argument("file")
@click.option("--column", metavar="NAME", help="NAMES is a table, and this column has them; by default the first.")
@decimal_option
@click.option(
    "--synonyms",
    metavar="FILE",
    help="Other names of taxa: a taxdump, an ontology, or a table of name,accepted name. Those in FILE are known.",
)
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=0.8,
    show_default=True,
    help="The least similarity of each word for a match by spelling.",
)
@click.option("--edited", metavar="FILE", help="A table that this command wrote, with matches changed or removed.")
@click.option("--tree", metavar="FILE", help="Write the hierarchy on the names that match, as Newick.")
@blanks_option
@output_option
@reading_options
def match(
    names: str,
    file: str,
    column: str | None,
    decimal: str,
    synonyms: str | None,
    min_score: float,
    edited: str | None,
    tree: str | None,
    blanks: Any,
    output: str,
    reading: dict[str, Any],
) -> None:
    """Match the names in NAMES to the taxa of the hierarchy in FILE, or to the terms of the ontology.

    NAMES has one name a line, or is a table with them in its first column. A name may differ from its taxon in
    case, underscores and hyphens, be a synonym, a subspecies or a name with its author, or be misspelt, else it goes to
    its genus, if there is one. No name is taken for a misspelt one of a taxon whose own name is in NAMES.

    The table that is written says for each name which taxon it is, how that was found, and other candidates.
    Change it if it is wrong, and give it as --edited to write the --tree.
    """
    check_apart([names, file, synonyms], [output, tree])
    check_apart([names, file, synonyms, edited], [])
    if tree is not None and reading.get("parent") == "certain":
        msg = "--parent certain gives no --tree; take deepest, first or smallest"
        raise click.UsageError(msg)
    taxa, others = read_names_of(opened_again(file), reading)
    if synonyms is not None:
        others = {**others, **read_other_names(synonyms)}
    asked = _names(names, column, decimal)
    if not asked:
        raise bad_input(f"{names} holds no names")
    found = match_names(asked, taxa, synonyms=others, min_score=min_score)
    if edited is not None:
        try:
            found = found.choose(_choices(edited))
        except UnknownLeafError as error:
            raise bad_input(f"{edited}: {error}") from None
    if tree is not None:
        write_newick(_tree_of(found, reading), tree, blanks=blanks)
    say(in_shell(str(found), option_names(click.get_current_context().command)), err=True)
    _tell_shared(found)
    _write_table(found, output)
    if output != "-" and edited is None and tree is None:
        again = shlex.join(["tripletree", "match", names, file, *_given_options(), "--edited", output])
        say(f"change {output} where it is wrong, then '{again} --tree matched.nwk'", err=True)


def _given_options() -> list[str]:
    """Return the options of the command as they were given, but for the output."""
    context = click.get_current_context()
    words: list[str] = []
    for option in context.command.params:
        name = option.name or ""
        if isinstance(option, click.Option) and name != "output" and not option.is_flag:
            is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            value = context.params.get(name) if is_given else None
            for x in [] if value is None else value if option.multiple else [value]:
                words += [max(option.opts, key=len), str(x)]
    return words


def _tell_shared(found: NameMatches, most: int = 5) -> None:
    """Say which names mean one taxon: it may be so, or one of them is another that the file lacks."""
    shared, called = found.shared, found.term_names()
    for match, names in list(shared.items())[:most]:
        some = ", ".join(map(str, names[:most])) + (", ..." if len(names) > most else "")
        say(f"{len(names)} names mean {called.get(match, match)}: {some}", err=True)
    if len(shared) > most:
        say(f"and {len(shared) - most:,} more taxa are meant by several names", err=True)


def _tree_of(found: NameMatches, reading: dict[str, Any]) -> Hierarchy:
    """Return the tree on the names that match. For an ontology with several parents there is advice to choose."""
    try:
        return found.to_hierarchy(parent=reading.get("parent") or "error")
    except NotATreeError as error:
        raise bad_input(f"{str(error).partition('; choose with')[0]}; {CHOOSE_PARENTS}") from None


def read_other_names(source: str) -> dict[str, list[str]]:
    """Read --synonyms: a taxdump or an ontology, or a table of two columns."""
    stream = opened_again(source)
    try:
        form = registry.FORMATS.get(registry.recognize(stream()))
    except ParseError:  # a table of two columns that might be edges the other way round
        form = None
    if form is not None and (form.synonyms is not None or form is registry.FORMATS["folder"]):
        return registry.read_synonyms(stream(), format=form.name)
    try:
        return read_annotations(stream())
    except ParseError as error:
        known = "a taxdump, an ontology or a table of two columns, name and accepted name"
        raise bad_input(f"--synonyms is none of {known}: {str(error).partition('; give item=')[0]}") from None


def _names(source: str, column: str | None, decimal: str) -> list[str]:
    if column is None and not source.lower().endswith((".csv", ".tsv", ".xlsx", ".xlsm", ".parquet")):
        return _texts(read_text(source)[0].splitlines())
    table = read_table(source, header=True, empty_rows=True, decimal=decimal)
    at = 0 if column is None else table.place(column, "the column")
    found = _texts(table.columns[at])
    if column is None and len(table.columns) > 1 and len(set(found)) < len(found):
        first, *others = map(repr, table.names or ())
        where = f"{len(set(found))} of its {len(found)} names are different; give --column if they stand in another"
        say(f"names are taken from {first}, the first column of {table.path}: {where}: {', '.join(others)}", err=True)
    return found


def _choices(source: str) -> dict[str, str | None]:
    table = read_table(source, header=True, empty_rows=True)
    names, taxa = (table.columns[table.place(x, "the column")] for x in ("name", "match"))
    found: dict[str, str | None] = {}
    for line, name, taxon in zip(table.lines, names, taxa, strict=True):
        asked, answer = (name or "").strip(), (taxon or "").strip() or None
        if asked and found.setdefault(asked, answer) != answer:
            msg = f"the name {asked!r} has the match {answer!r} here and {found[asked]!r} above; keep one of them"
            raise ParseError(msg, path=table.path, line=line)
    return found


def _texts(cells: list[Any]) -> list[str]:
    return [x.strip() for x in map(cell_text, cells) if x is not None and x.strip()]


def _write_table(found: NameMatches, output: str) -> None:
    columns = found.columns()
    rows = [
        (name, "" if taxon is None else taxon, kind, f"{score:.3g}", offered)
        for name, taxon, kind, score, offered in zip(*columns.values(), strict=True)
    ]
    write_text([csv_text([tuple(columns), *rows])], output)
