"""README.md: a line for each claim of the papers; and for each paper a page with the figures, a CSV and a picture."""

import platform

from papers.engine import PAPERS, paper_module
from papers.results import CAUSES, COMPARABLE, LEVEL, LITTLE, VERDICTS, Results

CAUSE_LINES = "\n".join(f"  - **{name}**: {text}." for name, text in CAUSES.items())
HEAD = f"""# The papers' experiments, run again

Five papers are behind the clusterers of this package. This page lists each of their claims, in our words, and whether
it holds in the same experiments on data that can be had. The name of a paper leads to its page with the figures.

```
make papers        # everything; it goes on where it stopped
make papers-quick  # a small form in quick/, at most five minutes
python benchmarks/papers/run.py --paper recon --runs 10   # one paper, ten draws
```

- **yes**: the claim holds in all cases that it names, or in more than half if it says "most" or "generally".
  **partly**: in at least half as many. Otherwise **no**. Cases are sets, comparisons or numbers of constraints.
- "Significantly" is a one-sided t-test by pairs of runs, p < {LEVEL}. "Comparable" is at most {COMPARABLE} lower, and
  not significantly. "Much", "large" and "substantial" are significant and above {LITTLE}. "Little", "flat" and
  "marginal" are at most {LITTLE}.
- Figures of the papers are those of their texts and tables. Nothing is read off their curves.
- "CKM" is COP-KMeans as each paper has it. In constrained complete link it is incremental: a sample moves the mean
  of its cluster at once. In boosted constrained k-means it is one run of Algorithm 2, which visits pairs.
- Claims without a place in the paper ("-") are additions, and not counted.
- Of ReCon's readings, "shown" is the one whose figures its page has.
- What decides where a claim does not hold in all cases:
{CAUSE_LINES}

The command writes this page and those of the papers.
"""


def write_report(out, stores, missing, *, seed, form):
    """Write README.md, a page for each paper, results/*.csv and figures/*.png from the cells."""
    found = {paper: Results(store.records, paper_module(paper).needs(False)) for paper, store in stores.items()}
    claims = {paper: list(paper_module(paper).claims(results)) for paper, results in found.items() if results.values}
    parts = [HEAD, *_counts(found, claims, seed, form)]
    out.mkdir(parents=True, exist_ok=True)
    for paper in PAPERS:
        module, results = paper_module(paper), found[paper]
        parts.append(
            f"\n## [{module.TITLE}]({paper}.md)\n" if paper in claims else f"\n## {module.TITLE}\n\nNot run.\n"
        )
        if paper in claims:
            parts.append(_table(claims[paper], module.DECIDED))
            page = _page(paper, module, results, claims[paper], missing.get(paper, []), out, form)
            (out / f"{paper}.md").write_text(page, encoding="utf-8")
    path = out / "README.md"
    path.write_text("".join(parts), encoding="utf-8")
    return path


def _counts(found, claims, seed, form):
    import numpy
    import sklearn

    from tripletree import __version__

    yield ("\n| paper | claims | yes | partly | no | cannot be tested | draws |\n|---|---|---|---|---|---|---|\n")
    for paper, rows in claims.items():
        rows = [claim for claim in rows if claim.place != "-" and claim.verdict in VERDICTS]
        counts = [sum(c.verdict == v for c in rows) for v in VERDICTS]
        cells = [paper_module(paper).TITLE.split(":")[0], len(rows), *counts, _range(found[paper].runs())]
        yield "| " + " | ".join(map(str, cells)) + " |\n"
        if any(getattr(c.verdict, "shown", None) for c in rows):
            told = [getattr(c.verdict, "shown", None) or str(c.verdict) for c in rows]
            counts = [told.count(v) for v in VERDICTS]
            yield "| " + " | ".join(map(str, [f"{cells[0]}, in the reading shown", len(rows), *counts, ""])) + " |\n"
    yield (
        f"\ntripletree {__version__}, Python {platform.python_version()}, numpy {numpy.__version__}, scikit-learn "
        f"{sklearn.__version__}; seed {seed}, {form} form.\n"
    )


def _table(claims, decided):
    """A line for each claim."""
    rows = ["\n| claim | where | holds | cases | decided by |\n|---|---|---|---|---|\n"]
    for claim in claims:
        causes = (cause for start, cause in decided.items() if claim.text.startswith(start))
        why = next(causes, "") if claim.verdict in ("partly", "no") else ""
        rows.append(_row((claim.text, claim.place, f"**{claim.verdict}**", getattr(claim.verdict, "cases", ""), why)))
    return "".join(rows)


def _row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _page(paper, module, results, claims, missing, out, form):
    """The page of a paper; its CSV and picture are written, too."""
    results.write_csv(out / "results" / f"{paper}.csv")
    picture = out / "figures" / f"{paper}.png"
    picture.unlink(missing_ok=True)
    caption = module.draw(results, picture)
    settings = "".join(f"- {text}\n" for text in (*module.SETTINGS, _runs(results), *_skipped(missing, results)))
    parts = [
        f"# {module.TITLE}\n\n{module.REFERENCE}\n\nThe figures behind [the claims in short](README.md): means over "
        "draws, in brackets their standard errors in the last digit, with the classes of the data sets as the truth. "
        f"[All figures as a table](results/{paper}.csv).\n\n{settings}"
    ]
    for claim in claims:
        parts.append(_told(claim, reasons=form == "full"))
    if hasattr(module, "table"):
        parts.append(module.table(results))
    pictures = [
        (picture, caption),
        *((out / "figures" / name, text) for name, text in getattr(module, "PICTURES", {}).items()),
    ]
    for path, text in pictures:
        if path.exists():  # there may be no curve yet
            parts.append(f"\n![{text}](figures/{path.name})\n\n{text}\n")
    return "".join(parts)


def _told(claim, *, reasons=True):
    """A claim with its figures. Reasons read the figures of the full form, and would be wrong beside others."""
    parts = [f"**{claim.text}.**"]
    parts += [f"Paper: {claim.theirs}."] if claim.theirs != "-" else []
    parts += [f"Here: {claim.ours}."] if claim.ours != "not run" else []
    if reasons and claim.why and claim.verdict not in ("yes", "not run"):
        parts.append(f"{claim.why[0].upper()}{claim.why[1:]}.")
    return f"\n{' '.join(parts)}\n"


def _range(ends):
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _runs(results):
    """The draws of each experiment."""
    parts = {}
    for part in dict.fromkeys(key[0] for key in results.values):
        parts.setdefault(part.partition(",")[0], []).extend(results.runs(part))
    text = "Draws: " + ", ".join(f"{name} {_range((min(n), max(n)))}" for name, n in parts.items()) + "."
    failed = results.n_failed()
    return text + (f" {failed} cells ended with an error of the package, and are in no mean." if failed else "")


def _skipped(missing, results):
    there = {key[1] for key in results.values}  # of a set that was at hand before, there may be results
    names = [name for name in missing if name not in there]
    return [f"Skipped, as not at hand: {', '.join(names)}."] if names else []
