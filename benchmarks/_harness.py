"""Timing and tables: both sides in one process, CPU seconds of the best of a few runs, ratios beside them."""

import argparse
import csv
import gc
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the zoo of shapes is the tests'


_START = """
import json, resource, sys, time
{setup}
start = time.process_time()
result = {call}
took = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([took, peak, {size}]))
"""


PATIENCE = 120  # seconds that a peer is waited for


def measured(setup, call, size, patience=PATIENCE):
    """CPU seconds of a call in a process of its own, the peak memory of that process in MB, and its size or error."""
    code = _START.format(setup=setup, call=call, size=size)
    here = Path(__file__).parent  # benchmarks and the shapes of the tests can be imported, whatever the working folder
    paths = [str(here), str(here.parent / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=patience, env=environment
        )
    except subprocess.TimeoutExpired:
        return None, None, f"over {patience} s"
    if done.returncode:
        return None, None, done.stderr.strip().rsplit("\n", 1)[-1][:60]
    return json.loads(done.stdout.strip().rsplit("\n", 1)[-1])


def cpu_seconds(function, *, repeat=3, budget=20.0):
    """CPU seconds of the fastest of `repeat` calls (fewer once `budget` is spent), and the last result."""
    best, spent, result = math.inf, 0.0, None
    for _ in range(repeat):
        del result
        gc.collect()
        start = time.process_time()
        result = function()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
        if spent > budget:
            break
    return best, result


def exponent(small, large):
    """Growth exponent between two points (size, seconds)."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


class Table:
    """Rows printed as they come, and written as CSV at the end when asked for."""

    def __init__(self, title, columns, parts=()):
        parser = argparse.ArgumentParser(description=title)
        parser.add_argument("--csv", type=Path, help="write the table there, too")
        parser.add_argument("--large", action="store_true", help="include the largest sizes (minutes, gigabytes)")
        if parts:
            parser.add_argument("--only", choices=parts, help="run this part alone")
        self.options = parser.parse_args()
        self.columns, self.rows = columns, []
        print(f"{title}\n(CPU seconds of the best of up to three runs; ratios are within this run)")
        print("  ".join(name.rjust(width) for name, width in columns))

    def add(self, *values):
        cells = []
        for value, (_, width) in zip(values, self.columns, strict=True):
            text = "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
            cells.append(text.rjust(width))
        self.rows.append(values)
        print("  ".join(cells), flush=True)

    def done(self):
        if self.options.csv:
            with self.options.csv.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(name for name, _ in self.columns)
                writer.writerows(self.rows)
