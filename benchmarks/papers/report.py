"""README.md: every claim of the papers, the paper's figure, ours, whether it holds; a CSV and a figure for each."""

import platform

from papers.engine import PAPERS, paper_module
from papers.results import COMPARABLE, LEVEL, VERDICTS, Results

HEAD = f"""# The papers' experiments, run again

Written by `python benchmarks/papers/run.py`; do not edit. One command runs the experiments of the five papers behind
the package on data sets that can be had, and sets what comes out beside what each paper claims: in our words, with the
figures that its text and tables give; nothing is read off its curves. Figures are means over runs, with the classes of
UCI data sets as the truth. "Holds": yes (in all cases that the claim names, or in more than half where it says "most"
or "generally"), partly (in at least half of them; of "most", in any), no, or cannot be tested. "Significantly" is a
t-test by pairs, run by run, one-sided, p < {LEVEL}, and with few runs little is; "±" is a standard error; "comparable"
is at most {COMPARABLE} lower, and not significantly. A reason is given where a claim does not hold: a reading of the
figures, not a proof. Rows without a place in the paper ("-") are additions, and not counted as its claims.
"""


def write_report(out, stores, missing, *, seed, form):
    """Write results/*.csv, figures/*.png and README.md from the cells of all papers; the path of the README."""
    found = {paper: Results(store.records, paper_module(paper).needs(False)) for paper, store in stores.items()}
    claims = {paper: list(paper_module(paper).claims(results)) for paper, results in found.items() if results.values}
    parts = [HEAD, *_settings(found, claims, seed, form)]
    for paper in PAPERS:
        module, results = paper_module(paper), found[paper]
        parts.append(f"\n## {module.TITLE}\n\n{module.REFERENCE}\n")
        if paper not in claims:
            parts.append("\nNot run.\n")
            continue
        results.write_csv(out / "results" / f"{paper}.csv")
        picture = out / "figures" / f"{paper}.png"
        picture.unlink(missing_ok=True)
        caption = module.draw(results, picture)
        parts.append(_table(claims[paper], reasons=form == "full"))
        parts.append(f"\n**Settings.** {module.SETTINGS} {_runs(results)}{_skipped(missing.get(paper, []), results)}\n")
        if picture.exists():  # there may be no curve yet
            parts.append(f"\n![{caption}](figures/{paper}.png)\n\n{caption}\n")
        parts.append(f"\nAll figures: [CSV](results/{paper}.csv).\n")
    path = out / "README.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(parts), encoding="utf-8")
    return path


def _settings(found, claims, seed, form):
    import numpy
    import sklearn

    from tripletree import __version__

    yield (
        f"\ntripletree {__version__}, Python {platform.python_version()}, numpy {numpy.__version__}, scikit-learn "
        f"{sklearn.__version__}; seed {seed}, {form} form.\n\n"
        "| paper | claims | yes | partly | no | cannot be tested | runs of a cell |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    for paper, rows in claims.items():
        rows = [claim for claim in rows if claim.place != "-" and claim.verdict in VERDICTS]
        counts = [sum(c.verdict == v for c in rows) for v in VERDICTS]
        cells = [paper_module(paper).TITLE.split(":")[0], len(rows), *counts, _range(found[paper].runs())]
        yield "| " + " | ".join(map(str, cells)) + " |\n"


def _range(ends):
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _runs(results):
    parts = list(dict.fromkeys(key[0] for key in results.values))
    text = "Runs of a cell: " + "; ".join(f"{part} {_range(results.runs(part))}" for part in parts) + "."
    failed = results.n_failed()
    return text + (f" {failed} cells ended with an error of the package, and are in no mean." if failed else "")


def _skipped(missing, results):
    there = {key[1] for key in results.values}  # of a set that was at hand before, there may be results
    names = [name for name in missing if name not in there]
    return f" Skipped, as not at hand: {', '.join(names)}." if names else ""


def _table(claims, *, reasons=True):
    # reasons read the figures of the full form, and would be wrong beside others
    rows = ["\n| claim | where | paper | here | holds |\n|---|---|---|---|---|\n"]
    for claim in claims:
        reason = f" ({claim.why})" if reasons and claim.why and claim.verdict not in ("yes", "not run") else ""
        cells = claim.text, claim.place, claim.theirs, claim.ours, f"**{claim.verdict}**{reason}"
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    return "".join(rows)
