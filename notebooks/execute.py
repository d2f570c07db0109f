"""Execute the notebooks from their sources: python notebooks/execute.py [--check] [NAME ...].

A notebook is written as a Python file in jupytext's percent format; its executed copy, the .ipynb
beside it, is made here and never by hand. The copy depends on the source and on the packages alone:
executing again gives the same bytes. A cell that fails or writes to standard error (a warning, for
example) is refused, and nothing is written.

With --check nothing is written: the fresh copy is compared with the stored one, and the exit status
is 1 if they differ. Pictures are compared by their pixels, and only if the same version of
matplotlib drew both.
"""

from __future__ import annotations

import argparse
import base64
import difflib
import io
import json
import os
import re
import secrets
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
CELL_TIMEOUT = 300  # seconds
DIFF_LINES = 12  # of one difference

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


class NotebookError(Exception):
    """A notebook that cannot be executed as it should."""


class Picture(NamedTuple):
    """What is compared of a picture."""

    software: str
    size: tuple[int, int]
    pixels: bytes


def main(arguments: list[str] | None = None) -> int:
    """Execute or check all notebooks, or those named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 01; all by default")
    parser.add_argument("--check", action="store_true", help="compare with what is stored")
    given = parser.parse_args(arguments)
    sources = find_sources(given.names)
    if not sources:
        print(f"no notebook {' '.join(given.names)} in {HERE}", file=sys.stderr)
        return 2
    failed = False
    for source in sources:
        stored = source.with_suffix(".ipynb")
        try:
            text = executed(source)
        except NotebookError as error:
            print(f"{source.name}: {error}", file=sys.stderr)
            failed = True
            continue
        if given.check:
            failed |= not report(stored, text)
        else:
            changed = not stored.exists() or stored.read_text(encoding="utf-8") != text
            write_aside(stored, text)
            print(f"{stored.name}: {'written' if changed else 'the same as before'}")
    return int(failed)


def find_sources(names: list[str]) -> list[Path]:
    """Return the sources in this folder: all, or those whose name starts with a given one."""
    sources = sorted(p for p in HERE.glob("*.py") if p.name != Path(__file__).name)
    if not names:
        return sources
    starts = tuple(Path(name).name.removesuffix(".py").removesuffix(".ipynb") for name in names)
    return [p for p in sources if p.stem.startswith(starts)]


# ---------------------------------------------------------------------- executing


def executed(source: Path) -> str:
    """Return the text of the executed notebook."""
    import jupytext
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = jupytext.read(source, fmt="py:percent")
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        client = NotebookClient(
            notebook,
            km=_kernel_manager(Path(folder)),
            resources={"metadata": {"path": str(source.parent)}},
            timeout=CELL_TIMEOUT,
            record_timing=False,
            coalesce_streams=True,
        )
        try:
            client.execute(env=_kernel_environment(Path(folder)), cleanup_kc=True)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise NotebookError(re.sub(r"\x1b\[[0-9;]*m", "", str(error))) from None
    settle(notebook)
    return nbformat.writes(notebook) + "\n"


def _kernel_manager(folder: Path) -> Any:
    """Return a manager of kernels of this interpreter, whatever kernels the user has installed."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    channel = {}
    if hasattr(socket, "AF_UNIX"):  # no port that another kernel may take at the same moment
        channel = {"transport": "ipc", "ip": str(folder / "kernel")}
    return AsyncKernelManager(
        kernel_name="python3",
        kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
        connection_file=str(folder / "connection.json"),
        **channel,
    )


def _kernel_environment(folder: Path) -> dict[str, str]:
    """Return the environment of a kernel that nobody's settings and no cold cache reach."""
    import matplotlib as mpl
    import matplotlib.font_manager  # noqa: F401  may announce a new font cache: here, not there

    personal = {"COLUMNS", "LINES", "PYTHONSTARTUP", "PYTHONWARNINGS"}
    env = {name: value for name, value in os.environ.items() if name not in personal}
    # sums in threads are rounded in another order, which may decide between questions worth almost the same
    env |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    env["TRIPLETREE_QUIET"] = "1"  # what is compiled on a cold cache is said on the standard error
    return env | {
        "IPYTHONDIR": str(folder / "ipython"),
        "MATPLOTLIBRC": str(Path(mpl.get_data_path()) / "matplotlibrc"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": mpl.get_cachedir(),
    }


def settle(notebook: Any) -> None:
    """Leave in the notebook only what depends on its source; refuse writing to standard error."""
    import nbformat

    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells, 1):
        cell["id"] = f"cell-{number:02d}"
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k == "tags"})
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                raise NotebookError(f"cell {number} writes to standard error:\n{output.text}")
            if "metadata" in output:
                output.metadata = nbformat.from_dict({})
    nbformat.validate(notebook)


def write_aside(target: Path, text: str) -> None:
    """Write beside the target, then take its place in one step."""
    aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        aside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


# ---------------------------------------------------------------------- comparing


def report(stored: Path, text: str) -> bool:
    """Print how the stored copy compares with the fresh one; whether it is the same."""
    if not stored.exists():
        print(f"{stored.name}: is missing; make notebooks makes it")
        return False
    old = stored.read_text(encoding="utf-8")
    if old == text:
        print(f"{stored.name}: the same, byte for byte")
        return True
    found, notes = differences(json.loads(old), json.loads(text))
    for note in notes:
        print(f"{stored.name}: {note}")
    for difference in found:
        print(f"{stored.name}: {difference}")
    if not found:
        print(f"{stored.name}: the same but for the encoding of pictures")
    return not found


def differences(old: dict[str, Any], new: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Say how two notebooks differ, and what could not be compared."""
    found: list[str] = []
    notes: list[str] = []
    if len(old["cells"]) != len(new["cells"]):
        found.append(f"stored with {len(old['cells'])} cells, the source has {len(new['cells'])}")
    for number, (before, after) in enumerate(zip(old["cells"], new["cells"], strict=False), 1):
        parts = [
            ("source", before["source"], after["source"]),
            ("output", *(_texts(x) for x in (before, after))),
            ("the rest", *(_without(x, "source", "outputs") for x in (before, after))),
        ]
        found += [f"cell {number}: {what} differs\n{_diff(a, b)}" for what, a, b in parts if a != b]
        pairs = zip(_pictures(before), _pictures(after), strict=False)
        for k, (a, b) in enumerate(pairs, 1):
            if a.software != b.software:
                by = f"drawn by {a.software}, now by {b.software}"
                notes.append(f"cell {number}: picture {k} not compared, {by}")
            elif a != b:
                found.append(f"cell {number}: picture {k} differs, {a.size} and {b.size} pixels")
    if _without(old, "cells") != _without(new, "cells"):
        found.append("the metadata of the notebook differ")
    return found, notes


def _without(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {k: v for k, v in value.items() if k not in keys}


def _texts(cell: dict[str, Any]) -> list[Any]:
    """Return the outputs of a cell with every picture reduced to the fact that it is there."""
    outputs = []
    for output in cell.get("outputs", []):
        data = _without(output.get("data", {}), "image/png")
        pictured = "image/png" in output.get("data", {})
        outputs.append({**output, "data": data, "picture": pictured})
    return outputs


def _pictures(cell: dict[str, Any]) -> list[Picture]:
    from PIL import Image

    found = []
    for output in cell.get("outputs", []):
        if "image/png" in output.get("data", {}):
            with Image.open(io.BytesIO(base64.b64decode(output["data"]["image/png"]))) as image:
                software = str(image.info.get("Software", "")).partition(",")[0]
                found.append(Picture(software, image.size, image.convert("RGBA").tobytes()))
    return found


def _diff(a: Any, b: Any) -> str:
    before, after = (json.dumps(x, indent=1, ensure_ascii=False).splitlines() for x in (a, b))
    lines = list(difflib.unified_diff(before, after, "stored", "fresh", lineterm="", n=1))
    more = [f"... and {len(lines) - DIFF_LINES} lines more"] if len(lines) > DIFF_LINES else []
    return "\n".join("    " + line for line in [*lines[:DIFF_LINES], *more])


if __name__ == "__main__":
    sys.exit(main())
