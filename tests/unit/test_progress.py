"""Progress where no bar is drawn: a message once a minute, of all that runs."""

import io
import logging
import sys
from contextlib import contextmanager

import pytest

from tripletree.cli import main
from tripletree.core import progress
from tripletree.core.progress import LOGGER, progress_bar, silent


@contextmanager
def listening():
    """The messages of the logger, while it takes those on progress."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield lambda: text.getvalue().splitlines()
    finally:
        LOGGER.setLevel(logging.NOTSET)
        LOGGER.removeHandler(handler)


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    now = [1000.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "_last", -progress.EVERY)
    return now


def test_progress_bar__counts_nothing_if_nobody_listens():
    with progress_bar(False, 3, "work") as tell:
        assert tell is silent


def test_progress_bar__tells_once_a_minute_of_all_that_runs(clock):
    with listening() as heard, progress_bar(False, 4, "outer", "fits") as outer:
        with progress_bar(False, None, "inner", "steps") as inner:
            for clock[0] in (1001, 1059, 1060, 1061, 1119):
                inner(500)
        assert heard() == ["outer: 0 of 4 fits, inner: 1,500 steps (60 s)"]
        outer(1)  # 59 s after it
        clock[0] = 1120
        outer(1)
        assert heard()[1:] == ["outer: 2 of 4 fits (120 s)"]
    with listening() as heard, progress_bar(False, 9, "later") as tell:
        clock[0] = 1179  # 59 s after it began
        tell(1)
        assert heard() == []


def test_progress_bar__forgets_work_that_failed(clock):
    with listening() as heard:
        with pytest.raises(KeyError), progress_bar(False, 2, "failed"):
            raise KeyError
        with progress_bar(False, 2, "other", "steps") as tell:
            clock[0] = 1060
            tell(2)
    assert heard() == ["other: 2 of 2 steps (60 s)"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_command_line__tells_on_a_standard_error_that_is_no_terminal(stream, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    table = tmp_path / "table.csv"
    table.write_text("name,x\n" + "".join(f"s{i},{i * i}\n" for i in range(8)))
    with pytest.raises(SystemExit) as end:
        main(["cluster", str(table), "-o", str(tmp_path / "out.csv")])
    assert end.value.code == 0
    assert ("merges (" in stream.getvalue() or "steps (" in stream.getvalue()) is not stream.isatty()
    assert not LOGGER.handlers
    assert not LOGGER.isEnabledFor(logging.INFO)
