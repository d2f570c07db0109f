"""Messages of the library in the shell's terms: ``labels='id'`` is ``--labels id`` there.

The library's errors name arguments and functions as Python has them. Every message that a command prints goes through
`in_shell`, which replaces arguments that are options of the command, options of readers by ``-O NAME=VALUE``, and
functions by the option or command that does the same in a shell. Text in quotes comes from a file, and stays.
"""

from __future__ import annotations

import inspect
import os
import re
import shlex
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import Any

import click

from tripletree.io import registry

#: Arguments that go by another name in the command line.
_ALIASES = {"n_clusters": "clusters", "max_triplets": "most", "smallest": "minimal"}
#: Options of readers that commands spell by themselves. Another one's name may belong to something else in a command,
#: as ``tree=`` of a reader and ``--tree`` of `match`, where a file is written.
_READING = frozenset({"format", "parent", "labels", "root", "relations", "namespace", "missing", "decimal"})
#: The command that does the work of a function in a shell.
_COMMANDS = {
    "read_triplets": "build FILE",
    "read_answers": "answers FILE",
    "read_hierarchy": "info FILE",
    "read_hierarchies": "supertree FILE",
    "write_newick": "convert FILE",
    "write_answers": "answers FILE --jsonl answers.jsonl",
    "read_comparisons": "check FILE --as comparisons",
    "read_pairs": "check FILE --as pairs",
    "read_knowledge": "cluster DATA --knowledge FILE",
    "votes": "cluster DATA --method divisive --comparisons FILE -k 2",
}
#: Functions that are an option of the commands which have it.
_AS_OPTIONS = {"read_ontology": ("parent", "certain")}
#: The part of a message that shows a place in a file, above the caret.
_EXCERPT = re.compile(r"(\n  [^\n]*\n *\^(?=\n|\Z))")
#: The file that a message is about.
_FILE = re.compile(r"(?:error: )?([^\n]+?)(?:, (?:line|row) \d+(?:, column \d+)?)?: ")
#: Options of these commands by the arguments of their functions.
_OF_ANSWERS = {"first": "--first", "codes": "--codes", "missing": "--missing-answer", "who": "--who", "only": "--only"}
_OF_ANSWERS |= {"header": "--header|--no-header", "weight": "--weight"}
_READERS = {
    "read_pairs": {"columns": "--columns", "codes": "--codes", "weight": "--weight"},
    "read_answers": {"items": "--items", "odd": "--odd", **_OF_ANSWERS},
    "read_comparisons": {"columns": "--columns", "answer": "--answer", "chosen": "--chosen", **_OF_ANSWERS},
    "read_triplets": {"columns": "--columns", "weight": "--weight"},
}
_VALUE = r"""'[^'\n]*'|"[^"\n]*"|\[[^\]\n]*\]|\([^()\n]*\)|\.\.\.|-?[A-Za-z0-9_]+(?:[.,]\d+)*"""
_ARGUMENT = rf"(?P<name>[a-z][a-z_]*)=(?P<value>{_VALUE})?"
_SPELLING = re.compile(
    rf"""
      (?<![\w=])(?:'[^'\n]*'|"[^"\n]*")(?!\w)            # what a file holds
    | -O\ [a-z_]+=\S*                                    # the shell's terms already
    | (?P<votes>DivisiveReCon\(\)\.fit\(X,\ comparisons=\.\.\.\))
    | \bh\.reroot\((?P<outgroup>'[^'\n]*'|"[^"\n]*")\)
    | (?P<call>(?:\w+\.)*(?P<function>\w+)\((?P<arguments>'[^'\n]*'|path|[^()\n]*\w=(?:[^()\n]|\([^()\n]*\))*)\))
    | (?<![\w.&?-]){_ARGUMENT}
    | (?<![\w.'])(?:tripletree\.io\.)?(?P<python>(?:read|write)_[a-z_]+)\b(?!\()
    """,
    re.VERBOSE,
)
_ONE_ARGUMENT = re.compile(_ARGUMENT)


def in_shell(message: str, options: Mapping[str, str]) -> str:
    """The message with arguments as options of the command line.

    Parameters
    ----------
    message : str
    options : mapping
        How each argument is spelt there, as `option_names` gives it.

    Examples
    --------
    >>> options = {"format": "--from", "labels": "--labels", "child_column": "-O child_column="}
    >>> in_shell("take labels='id', or read_edges(path, child_column='taxon') for 'labels=1'", options)
    "take --labels id, or --from edges -O child_column=taxon for 'labels=1'"
    """
    about = _FILE.match(message)
    file = "FILE" if about is None else "-" if about[1] == "<standard input>" else about[1]
    file = shlex.quote(file) if file == "-" or os.path.isfile(file) else "FILE"
    parts = _EXCERPT.split(message)
    parts[::2] = [_SPELLING.sub(partial(_spelt, options, file), x) for x in parts[::2]]
    return "".join(parts)


def option_names(command: click.Command | None, alone: Mapping[str, str] | None = None) -> dict[str, str]:
    """How the arguments of the library are spelt as options of a command, by their names in Python.

    A text that ends in "=" goes right before the value. For a flag it is the text for true, a bar and the text for
    false. `alone`: these options only, each with its name in Python.
    """
    known: dict[str, str] = {}
    params = [x for x in command.params if isinstance(x, click.Option)] if command is not None else []
    if alone is not None:
        return {alone[str(x.name)]: _shown(x) for x in params if x.name in alone}
    if any(x.name == "more" for x in params):  # -O NAME=VALUE
        known = {x: f"-O {x}=" for x in _reader_options()}
    readers = frozenset(known)
    for option in params:
        if option.name in readers - _READING:
            continue
        known[str(option.name).rstrip("_")] = _shown(option)
    return known | {x: known[y] for x, y in _ALIASES.items() if y in known and x not in known}


def _shown(option: click.Option) -> str:
    shown = max(option.opts, key=len)
    return f"{shown}|{max(option.secondary_opts, key=len, default='')}" if option.is_flag else shown


@cache
def _reader_options() -> frozenset[str]:
    """The options of all readers of hierarchies and ontologies."""
    readers: list[Callable[..., Any] | None] = [y for x in registry.FORMATS.values() for y in (x.read, x.ontology)]
    return frozenset(
        x.name
        for reader in readers
        if reader is not None
        for x in inspect.signature(reader).parameters.values()
        if x.kind is inspect.Parameter.KEYWORD_ONLY
    )


def _spelt(options: Mapping[str, str], file: str, found: re.Match[str]) -> str:
    if found["python"] or found["votes"]:
        return _command(found["python"] or "votes", options, file) or found[0]
    if found["outgroup"]:
        return _option(options["outgroup"], found["outgroup"]) if "outgroup" in options else found[0]
    if found["call"]:
        arguments = list(_ONE_ARGUMENT.finditer(found["arguments"]))
        source = re.match(r"'[^'\n]*'|\"[^\"\n]*\"|path\b|\.\.\.", found["arguments"])
        if source is not None and found["function"] in _READERS:
            own = _READERS[found["function"]]
            said = " ".join(_option(own[x["name"]], x["value"]) for x in arguments)
            given = file if source[0] in ("path", "...") else _argument(source[0])
            whole = options.get(found["function"]) or _whole(found["function"], given)[1:-1]
            line = f"{whole} {said}".rstrip()
            return line if "'" in line else f"'{line}'"
        command = _command(found["function"], options, file)
        known = all(x["name"] in options for x in arguments)
        if command is not None and not command.startswith("--"):
            if found["function"] != "read_hierarchy" or not known:
                return command
            command = None
        if not known or not (command or arguments):
            return found[0]
        first = [] if command is None else [command]
        return " ".join([*first, *(_option(options[x["name"]], x["value"]) for x in arguments)])
    if found["name"] in options:
        return _option(options[found["name"]], found["value"])
    return found[0]


def _command(function: str, options: Mapping[str, str], file: str) -> str | None:
    """The equivalent of a function in a shell: an option of the command, or another command. None if nothing does."""
    form = function.removeprefix("read_")
    if form in registry.FORMATS and options.get("format") == "--from":
        return f"--from {form}"
    if function in _AS_OPTIONS:
        name, value = _AS_OPTIONS[function]
        return f"{options[name]} {value}" if name in options else None
    if form in registry.FORMATS:
        return f"'tripletree decompose {file}'"
    return _whole(function, file) if function in _COMMANDS else None


def _whole(function: str, file: str) -> str:
    return f"'tripletree {_COMMANDS[function].replace('FILE', file)}'"


def _option(name: str, value: str | None) -> str:
    on, bar, off = name.partition("|")
    if bar:
        return (off or f"no {on}") if value == "False" else on
    separator = "" if on.endswith("=") else " "
    if value is None or value == "...":
        return on + ("..." if separator == "" else "")
    return on + separator + _argument(value)


def _argument(value: str) -> str:
    """A value as typed in a shell."""
    if value in ("True", "False"):
        return value.lower()
    if value[0] in "[(":
        value = ",".join(x.strip().strip("'\"") for x in value[1:-1].split(",") if x.strip())
    elif value[0] in "'\"":
        value = value[1:-1]
    if "'" in value and not re.search(r'["$`\\]|!(?!=)', value):  # as people write a condition
        return f'"{value}"'
    return shlex.quote(value) if value else "''"


def command_line(ctx: click.Context, *more: str, without: Collection[str] = ()) -> str:
    """The command as it could be typed again, with more options, and `without` some."""
    words = [ctx.command_path]
    for parameter in ctx.command.params:
        name = str(parameter.name)
        value: Any = ctx.params.get(name)
        if name in without or ctx.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE:
            continue
        if isinstance(parameter, click.Argument):
            words.append(shlex.quote(str(value)))
        elif isinstance(parameter, click.Option):
            option = max(parameter.opts, key=len)
            if parameter.is_flag:
                words.append(option)
            elif parameter.multiple:
                words += [f"{option} {shlex.quote(str(x))}" for x in value]
            else:
                text = ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
                words.append(f"{option} {shlex.quote(text)}")
    return " ".join([*words, *more])
