"""Cells of experiments: what one is, its seed, running many of them, and keeping what is done.

A cell is one run of one method on one data set with one number of constraints. Its result depends on the cell and on
the seed of the command alone: not on the order, the number of jobs, or what has been done before.
"""

import hashlib
import importlib
import json
import time
import traceback
import warnings
from typing import NamedTuple

PAPERS = ("recon", "complete_link", "boosted", "cvqe", "cop")


class Cell(NamedTuple):
    """One run: of which paper, in which experiment, on which set, by which method, under how many constraints."""

    paper: str
    part: str
    set: str
    method: str
    m: int
    run: int


def seed_of(seed, *parts):
    """A seed below 2^32 for whatever the parts name; the same in every process and on every machine."""
    text = "|".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")


def paper_module(name):
    return importlib.import_module(f"papers.{name}")


def work(cell, seed):
    """Run a cell. A record: the cell, and its rows, or why there are none.

    Rows are dicts of measures; "m" and "method" in a row stand in for those of the cell, where one fit answers for
    several. An error of the package (the constraints cannot hold) is a result, and counted; any other is a fault.
    """
    from tripletree.errors import TripletreeError

    begin, record = time.perf_counter(), {"cell": list(cell), "rows": [], "failed": "", "fault": ""}
    try:
        record["rows"] = paper_module(cell.paper).run(cell, seed)
    except TripletreeError as error:
        record["failed"] = f"{type(error).__name__}: {error}"[:200]
    except Exception:  # one fault must not end hours of work: it is kept, told, and tried again next time
        record["fault"] = traceback.format_exc()[-1000:]
    record["took"] = round(time.perf_counter() - begin, 4)
    return record


class Store:
    """The finished cells of a paper, one JSON record a line; only appended to, so an interrupt costs one line at most.

    Records of another seed or version of the package are left where they are, and not looked at.
    """

    def __init__(self, path, seed, version):
        self.path, self.stamp, self.others = path, {"seed": seed, "version": version}, 0
        self.records = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._read(line)

    def _read(self, line):
        try:
            record = json.loads(line)
            cell = Cell(*record["cell"])
        except (ValueError, KeyError, TypeError):  # the line that an interrupt cut
            return
        if {key: record.get(key) for key in self.stamp} != self.stamp:
            self.others += 1
        elif not record["fault"]:
            self.records[cell] = record

    def append(self, record):
        record = {**record, **self.stamp}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            if file.tell() and not self._ends_a_line():
                file.write(b"\n")
            file.write((json.dumps(record) + "\n").encode())
        if not record["fault"]:
            self.records[Cell(*record["cell"])] = record

    def _ends_a_line(self):
        with self.path.open("rb") as file:
            file.seek(-1, 2)
            return file.read() == b"\n"


def in_order(cells, seed):
    """First all cells of run 0, then of run 1: a run cut short has whole runs. Mixed within, for a fair estimate."""
    return sorted(cells, key=lambda cell: (cell.run, seed_of(seed, *cell)))


def run_cells(cells, store, *, seed, n_jobs=1, minutes=None, progress=True, worker=work):
    """Run the cells that the store has not, and put each in it when it is done; the faults, as texts.

    The parent process alone writes. Where `minutes` are up, what is running is waited for, and the rest is left.
    """
    from joblib import Parallel, delayed
    from tqdm import tqdm

    todo = in_order([cell for cell in cells if cell not in store.records], seed)
    end = None if minutes is None else time.monotonic() + 60 * minutes

    def given():
        for cell in todo:
            if end is not None and time.monotonic() > end:
                return
            yield delayed(worker)(cell, seed)

    # loky starts a worker anew whose memory has grown, as by compiling: no job is lost
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given", category=UserWarning)
    faults = []
    bar = tqdm(total=len(todo), desc=store.path.stem, unit="cell", disable=not progress or not todo, smoothing=0.05)
    with bar:
        pool = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
        for record in pool(given()):
            store.append(record)
            bar.update()
            if record["fault"]:
                faults.append(f"{Cell(*record['cell'])}: {record['fault'].strip().splitlines()[-1]}")
    return faults
