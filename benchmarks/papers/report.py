"""README.md: how claims are judged, and how many hold. For each paper: its claims in a table, CSV files, a picture."""

import csv
import platform

from papers.engine import PAPERS, paper_module
from papers.results import CAUSES, COMPARABLE, LEVEL, LITTLE, VERDICTS, Results

CAUSE_LINES = "\n".join(f"  - **{name}**: {text}." for name, text in CAUSES.items())
HEAD = f"""# The papers' experiments, run again

Five papers are behind the clusterers of this package. Does each of their claims, in our words, hold in the same
experiments on data that can be had? The name of a paper leads to its claims.

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
- Of ReCon's readings, "shown" is the one whose figures are told.
- Figures are means over draws, in brackets their standard errors in the last digit, with the classes of the data sets
  as the truth.
- What decides where a claim does not hold in all cases:
{CAUSE_LINES}

The command writes this page and those of the papers.
"""


#: Figures are told on the page up to this length, longer ones in the CSV file alone.
SHORT = 60


def write_report(out, stores, missing, *, seed, form):
    """Write README.md, a page for each paper, results/*.csv and figures/*.png from the cells."""
    found = {paper: Results(store.records, paper_module(paper).needs(False)) for paper, store in stores.items()}
    claims = {paper: list(paper_module(paper).claims(results)) for paper, results in found.items() if results.values}
    out.mkdir(parents=True, exist_ok=True)
    for paper in claims:
        module, results = paper_module(paper), found[paper]
        page = _page(paper, module, results, claims[paper], missing.get(paper, []), out, form)
        (out / f"{paper}.md").write_text(page, encoding="utf-8")
    path = out / "README.md"
    path.write_text("".join([HEAD, *_counts(found, claims, seed, form)]), encoding="utf-8")
    return path


def _counts(found, claims, seed, form):
    import numpy
    import sklearn

    from tripletree import __version__

    yield ("\n| paper | claims | yes | partly | no | cannot be tested | draws |\n|---|---|---|---|---|---|---|\n")
    for paper in PAPERS:
        title = paper_module(paper).TITLE.split(":")[0]
        if paper not in claims:
            yield f"| {title} | not run |  |  |  |  |  |\n"
            continue
        rows = [claim for claim in claims[paper] if claim.place != "-" and claim.verdict in VERDICTS]
        counts = [sum(c.verdict == v for c in rows) for v in VERDICTS]
        cells = [f"[{title}]({paper}.md)", len(rows), *counts, _range(found[paper].runs())]
        yield "| " + " | ".join(map(str, cells)) + " |\n"
        if any(getattr(c.verdict, "shown", None) for c in rows):
            told = [getattr(c.verdict, "shown", None) or str(c.verdict) for c in rows]
            counts = [told.count(v) for v in VERDICTS]
            yield "| " + " | ".join(map(str, [f"{title}, in the reading shown", len(rows), *counts, ""])) + " |\n"
    yield (
        f"\ntripletree {__version__}, Python {platform.python_version()}, numpy {numpy.__version__}, scikit-learn "
        f"{sklearn.__version__}; seed {seed}, {form} form.\n"
    )


def _table(claims, decided):
    """A line for each claim."""
    rows = ["\n| claim | where | paper | here | holds | decided by |\n|---|---|---|---|---|---|\n"]
    for claim in claims:
        here = claim.ours.partition(";")[0]
        here = here if len(here) <= SHORT and here != "not run" else ""
        holds = f"**{claim.verdict}**" + (f", {claim.verdict.cases}" if getattr(claim.verdict, "cases", "") else "")
        rows.append(_row((claim.text, claim.place, claim.theirs, here, holds, _decided(claim, decided))))
    return "".join(rows)


def _decided(claim, decided):
    causes = (cause for start, cause in decided.items() if claim.text.startswith(start))
    return next(causes, "") if claim.verdict in ("partly", "no") else ""


def _write_claims(path, claims, decided, *, reasons=True):
    """All that is told of each claim. Reasons read the figures of the full form, and would be wrong beside others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["claim", "where", "paper", "here", "holds", "cases", "decided by", "reason"])
        for claim in claims:
            reason = claim.why if reasons and claim.verdict not in ("yes", "not run") else ""
            cases = getattr(claim.verdict, "cases", "")
            writer.writerow([*claim[:4], claim.verdict, cases, _decided(claim, decided), reason])


def _row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _page(paper, module, results, claims, missing, out, form):
    """The page of a paper; its CSV files and picture are written, too."""
    results.write_csv(out / "results" / f"{paper}.csv")
    picture = out / "figures" / f"{paper}.png"
    picture.unlink(missing_ok=True)
    caption = module.draw(results, picture)
    _write_claims(out / "results" / f"{paper}_claims.csv", claims, module.DECIDED, reasons=form == "full")
    settings = "".join(f"- {text}\n" for text in (*module.SETTINGS, _runs(results), *_skipped(missing, results)))
    parts = [
        f"# {module.TITLE}\n\n{module.REFERENCE}\n\n[How claims are judged](README.md). Figures behind each claim, and "
        f"why it does not hold: [a table](results/{paper}_claims.csv). [All means](results/{paper}.csv).",
        "\n\n",
        settings,
        _table(claims, module.DECIDED),
    ]
    pictures = [
        (picture, caption),
        *((out / "figures" / name, text) for name, text in getattr(module, "PICTURES", {}).items()),
    ]
    for path, text in pictures:
        if path.exists():  # there may be no curve yet
            parts.append(f"\n![{text}](figures/{path.name})\n\n{text}\n")
    return "".join(parts)


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
