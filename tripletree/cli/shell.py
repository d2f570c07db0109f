"""How the commands behave in a shell: exit status, one error message and no traceback, progress."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from errno import ENOSPC
from functools import wraps
from typing import Any, NoReturn, TypeVar

import click

from tripletree import _startup
from tripletree.algorithms.conflict import Conflict
from tripletree.cli.spelling import command_line, in_shell, option_names
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import LOGGER
from tripletree.errors import (
    CONTROLS,
    InconsistentTripletsError,
    TimeLimitError,
    TripletreeError,
    escaped_controls,
    shortened,
)
from tripletree.interrupts import time_limit as limit_of_time
from tripletree.io.rows import quoted
from tripletree.io.source import last_written

INCONSISTENT, BAD_INPUT, TIME_IS_OVER, INTERRUPTED, PIPE_CLOSED = 1, 2, 124, 130, 141
#: Triplets of a conflict, and leaves tied together by them, that are written out.
MOST_SHOWN = 30

T = TypeVar("T")


def with_options(command: Any, options: Sequence[Any]) -> Any:
    """Return the command with `options`, listed in this order in its help."""
    for option in reversed(options):
        command = option(command)
    return command


_time_limit_option = click.Option(
    ["--time-limit"],
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="End with exit status 124, and without output, after so many seconds.",
)


def _limited(callback: Any) -> Any:
    """Run a command with a limit of time."""

    @wraps(callback)
    def call(*arguments: Any, time_limit: float | None, **options: Any) -> Any:
        with nullcontext() if time_limit is None else limit_of_time(time_limit):
            return callback(*arguments, **options)

    return call


class PipeClosedError(Exception):
    """The reader of the standard output has gone. The error is kept from click, which would exit with status 1."""


class Commands(click.Group):
    """A group of commands whose failures become one message on the standard error and an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order in which they were added."""
        return list(self.commands)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with the options that all of them have."""
        cmd.params.append(_time_limit_option)
        cmd.callback = _limited(cmd.callback)
        super().add_command(cmd, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. An option that takes one value is not given twice: the first one would be lost."""
        name, command, rest = super().resolve_command(ctx, args)
        order: list[click.Parameter] = []
        if command is not None:
            with suppress(click.UsageError):  # is told when the command parses them
                order = command.make_parser(click.Context(command, parent=ctx)).parse_args(list(rest))[2]
        for option, count in Counter(order).items():
            if count > 1 and isinstance(option, click.Option) and not (option.multiple or option.is_flag):
                msg = f"{max(option.opts, key=len)} is given {count} times, and takes one value: leave out all but one"
                raise click.UsageError(msg, ctx)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and write all of its output."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise PipeClosedError from error
        return result

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]
        """Run a command line and leave with its exit status."""
        extra.pop("standalone_mode", None)
        if sys.stdout is None or sys.stderr is None:  # closed by the caller
            if sys.stderr is not None:
                sys.stderr.write("error: the standard output is closed\n")
            sys.exit(BAD_INPUT)
        with warnings.catch_warnings(), _ended_by_signals(), _progress_lines():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = _show_warning
            last_written.clear()
            sys.exit(self._status(args, prog_name or "tripletree", extra))

    def _failed(self, message: str, args: Sequence[str] | None) -> int:
        """Explain the error, in the terms of the command that was called."""
        given = sys.argv[1:] if args is None else args
        command = next((self.commands[x] for x in given if x in self.commands), None)
        return _failed(in_shell(message, option_names(command)))

    def _status(self, args: Sequence[str] | None, prog_name: str, extra: dict[str, Any]) -> int:
        try:
            result = super().main(args, prog_name, standalone_mode=False, **extra)
        except PipeClosedError:
            _discard_output()
            return PIPE_CLOSED
        except (KeyboardInterrupt, click.Abort):
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else prog_name
            return _failed(f"{_lower(error.format_message())}\ntry: {where} --help")
        except click.ClickException as error:
            return self._failed(error.format_message(), args)
        except InconsistentTripletsError as error:
            links = "" if error.pairs is None else "\nSome of them come from must-links: " + _links_text(error.pairs)
            _failed(f"no hierarchy displays all of these triplets. {conflict_text(error.conflict)}{links}")
            return INCONSISTENT
        except TimeLimitError as error:
            self._failed(str(error) + _written_before(), args)
            return TIME_IS_OVER
        except OSError as error:
            reason = _lower(f"{error.strerror}: {error.filename}" if error.filename else _reason(error))
            return _failed(reason + _written_before())
        except MemoryError as error:
            return _failed(f"not enough memory: {str(error) or 'the input is too large for this machine'}")
        except (TripletreeError, ValueError) as error:
            return self._failed(str(error), args)
        return result if isinstance(result, int) else 0


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the command as errors do: temporary files are removed. The status is as usual."""
    numbers = [getattr(signal, x) for x in ("SIGTERM", "SIGHUP") if hasattr(signal, x)]
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _frame: Any) -> NoReturn:
        sys.exit(128 + number)

    # signals that the caller ignores, as nohup does, stay ignored
    before = {x: signal.signal(x, leave) for x in numbers if signal.getsignal(x) is signal.SIG_DFL}
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _startup.leave):
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def bad_input(message: str) -> click.ClickException:
    """Make the error to raise for bad input."""
    return click.ClickException(message)


def which_is_meant(why: str, ways: Mapping[str, str], without: Collection[str] = ()) -> click.ClickException:
    """Make the error for an input of several readings, each with the option that chooses it in the command line."""
    ctx, width = click.get_current_context(), max(map(len, ways)) + 1
    lines = [f"  {f'{x}:':{width}} {command_line(ctx, y, without=without)}" for x, y in ways.items()]
    return bad_input("\n".join([why, *lines]))


def say(text: str, *, err: bool = False) -> None:
    """Write words for people, which may quote files: control characters stand escaped, long labels cut."""
    click.echo(escaped_controls(shortened(text)), err=err)


def json_text(value: Any) -> str:
    """Return a value as JSON, with its letters as they are and control characters escaped."""
    return CONTROLS.sub(lambda x: f"\\u{ord(x[0]):04x}", json.dumps(value, indent=2, ensure_ascii=False, default=str))


def _failed(message: str) -> int:
    say(f"error: {message}", err=True)
    return BAD_INPUT


def _reason(error: OSError) -> str:
    """The system's message, without the number of the error. It names the standard output if no file is named."""
    return f"{error.strerror}: standard output" if error.errno == ENOSPC else error.strerror or str(error)


def _written_before() -> str:
    """Tell which files a command has made before it failed."""
    return f" (written before: {', '.join(last_written)})" if last_written else ""


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


def _show_warning(message: Warning | str, *_args: Any, **_extra: Any) -> None:
    context = click.get_current_context(silent=True)
    say(f"warning: {in_shell(str(message), option_names(None if context is None else context.command))}", err=True)


def _discard_output() -> None:
    """Send the rest of the buffers nowhere, so that the interpreter does not complain at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def label_text(label: Any) -> str:
    """Return a leaf label as the text format of triplets has it."""
    text = str(label)
    return repr(text) if "\n" in text or "\r" in text else quoted(text)


def some(texts: Iterable[str], most: int = 5) -> str:
    """Return the first of several texts, and how many more there are."""
    texts = list(texts)
    return ", ".join(texts[:most]) + (f" and {len(texts) - most:,} more" if len(texts) > most else "")


def conflict_text(conflict: Conflict) -> str:
    """Return a conflict in words: its triplets, where they stand, and why they clash."""
    return conflict.explain(most=MOST_SHOWN)


def _links_text(pairs: PairwiseConstraints) -> str:
    """Must-links by label, with their lines."""
    texts = []
    for k, (a, b) in enumerate(pairs.must_link.tolist()[:MOST_SHOWN]):
        origin = None if pairs.must_origins is None else pairs.must_origins[k]
        place = "" if origin is None else f" ({origin})"
        texts.append(f"{label_text(pairs.leaves[a])} - {label_text(pairs.leaves[b])}{place}")
    return ", ".join(texts)


def table_text(rows: Iterable[tuple[str, ...]]) -> str:
    """Return lines of aligned columns, indented by two."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(f"  {line.rstrip()}" for line in lines)


@contextmanager
def _progress_lines() -> Iterator[None]:
    """Tell once a minute how much is done, if standard error is not a terminal, so bars are not shown."""
    if sys.stderr.isatty():
        yield
        return
    handler, level = logging.StreamHandler(sys.stderr), LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.setLevel(level)
        LOGGER.removeHandler(handler)


def progress(items: Iterable[T], *, what: str, total: int | None = None) -> Iterator[T]:
    """Pass items on, with a bar on the standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from tqdm import tqdm

    yield from tqdm(items, desc=what, unit_scale=True, total=total, leave=False)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show the current work, and for how long, on the standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    from tqdm import tqdm

    done = Event()
    with tqdm(desc=what, bar_format="{desc} ... {elapsed}", leave=False, delay=0.5) as bar:

        def refresh() -> None:
            while not done.wait(0.5):
                bar.refresh()

        clock = Thread(target=refresh, daemon=True)
        clock.start()
        try:
            yield
        finally:
            done.set()
            clock.join()
            bar.clear()
