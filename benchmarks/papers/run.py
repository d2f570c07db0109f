"""Run the experiments of the five papers again: a CSV and a figure for each, and a table of all claims.

    python benchmarks/papers/run.py [--quick] [--paper NAME] [--runs N] [--n-jobs J] [--minutes M] [--seed S]

Cells (data set, method, number of constraints, run) that are done are kept: after an interrupt the same command goes
on. README.md is written at the end, from all cells there are.
"""

import argparse
import os
import sys
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # parallel over cells, and times are those of one thread
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]

from papers.engine import PAPERS, Store, paper_module, run_cells  # noqa: E402
from papers.report import write_report  # noqa: E402
from papers.sets import find_missing  # noqa: E402


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sets, few runs: at most five minutes")
    parser.add_argument("--paper", choices=PAPERS, action="append", help="this one only; may be repeated")
    parser.add_argument("--runs", type=_positive, help="runs of each cell (default: as many as in the paper)")
    parser.add_argument("--n-jobs", type=int, default=1, metavar="J", help="processes; -1 for all cores")
    parser.add_argument("--backend", help="of joblib: loky, threading, multiprocessing, or one that is registered")
    parser.add_argument("--minutes", type=float, help="for each paper, begin no cell after so many (quick: 0.75)")
    parser.add_argument("--out", type=Path, help="folder for results (default: beside this file; its quick/ if quick)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--fresh", action="store_true", help="forget the cells that are done, as after a change of code"
    )
    parser.add_argument("--report-only", action="store_true", help="run nothing: write the report from what is there")
    options = parser.parse_args(argv)
    if options.n_jobs == 0:
        parser.error("--n-jobs must not be 0")
    if options.minutes is None and options.quick:
        options.minutes = 0.75  # five papers: at most five minutes, with what is compiled first
    options.out = options.out or (HERE / "quick" if options.quick else HERE)
    return options


def _positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def main(argv=None):
    from contextlib import nullcontext

    from joblib import parallel_config

    from tripletree import __version__

    options = arguments(argv)
    if options.fresh:
        for paper in options.paper or PAPERS:
            (options.out / "cells" / f"{paper}.jsonl").unlink(missing_ok=True)
    stores = {p: Store(options.out / "cells" / f"{p}.jsonl", options.seed, __version__) for p in PAPERS}
    missing, faults, stopped = {}, [], False
    with parallel_config(backend=options.backend) if options.backend else nullcontext():
        for paper in PAPERS:
            module = paper_module(paper)
            online = not (options.quick or options.report_only)
            missing[paper] = find_missing(module.needs(options.quick), online=online)
            if options.report_only or stopped or paper not in (options.paper or PAPERS):
                continue
            for name in missing[paper]:
                print(f"{paper}: skipped {name}: it is in no folder of TRIPLETREE_DATA, and cannot be fetched")
            names = [name for name in module.needs(options.quick) if name not in missing[paper]]
            cells = list(module.cells(options.quick, options.runs or module.RUNS[options.quick], names))
            if stores[paper].others:
                print(f"{paper}: {stores[paper].others} cells of another seed or version are not looked at")
            try:
                faults += run_cells(
                    cells, stores[paper], seed=options.seed, n_jobs=options.n_jobs, minutes=options.minutes
                )
            except KeyboardInterrupt:
                stopped = True
            done = sum(cell in stores[paper].records for cell in cells)
            if done < len(cells):
                why = "interrupted" if stopped else "stopped"
                print(f"{paper}: {why}, {done} of {len(cells)} cells are done; the same command goes on")
    path = write_report(options.out, stores, missing, seed=options.seed, form="quick" if options.quick else "full")
    print(f"written: {path}")
    for fault in faults[:10]:
        print(fault, file=sys.stderr)
    return 130 if stopped else int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
