"""The main job on real input: ``tripletree demo``."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import count_triplets
from tripletree.algorithms.supervision import triplets_from_classes
from tripletree.cli.clustering import clustered
from tripletree.cli.inspection import hierarchy_rows
from tripletree.cli.outputs import save_figure
from tripletree.cli.shell import bad_input, table_text
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.errors import MissingDependencyError
from tripletree.evaluation.scores import pairwise_f_score, triplet_score
from tripletree.io import write_triplets
from tripletree.io.source import csv_text, write_text
from tripletree.plots import plot_dendrogram
from tripletree.reports.table import standardized

SAMPLE = "mammals"
LINKAGE = "ward"
SHARE, DRAWS = 0.4, 20


class Samples(NamedTuple):
    """A data set whose classes are known: labels of the samples, standardised values, classes."""

    labels: list[str]
    values: np.ndarray
    classes: np.ndarray
    class_names: list[str]
    columns: list[str]
    raw: np.ndarray


class Outcome(NamedTuple):
    """One clustering, and how it compares with the classes."""

    hierarchy: Hierarchy
    clusters: np.ndarray
    displayed: float
    f_all: float
    f_unknown: float


@click.command(
    epilog="""
    \b
    Example:
      tripletree demo --output-dir demo-output
    """
)
@click.option(
    "--output-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo-output"),
    show_default=True,
    metavar="DIR",
    help="Folder for the picture and the data.",
)
def demo(output_dir: Path) -> None:
    """Show the main job on real input: decompose a hierarchy, build it again, cluster with triplets, draw.

    Nothing is downloaded, and the same is written every time. Without matplotlib there is no picture.
    """
    output_dir.mkdir(parents=True, exist_ok=True)
    _show_hierarchy(output_dir)
    samples = _iris()
    known = _known(samples, 0)
    triplets = _triplets(samples, known)
    outcomes = [_outcome(samples, given, triplets, known) for given in (None, triplets)]
    _show_clustering(samples, known, triplets, outcomes)
    _write_data(samples, known, triplets, output_dir)
    if find_spec("matplotlib") is None:
        click.echo(f"\nNo picture: {MissingDependencyError('matplotlib', 'plot', 'drawing')}")
    else:
        picture = output_dir / "dendrograms.png"
        _draw(samples, known, triplets, outcomes, picture)
        click.echo(f"\nThe picture: {picture}")
    where = shlex.quote(str(output_dir))
    click.echo(
        f"The same by hand: tripletree cluster {where}/data.csv --drop class --standardize --linkage {LINKAGE} \\\n"
        f"                    --triplets {where}/known.txt -k {len(samples.class_names)} -o {where}/clusters.csv\n"
        f"All of it as a page: tripletree report {where}/data.csv --drop class --standardize \\\n"
        f"                    --know {where}/known.txt -o {where}/report.html"
    )


# ---------------------------------------------------------------------- a hierarchy, there and back


def _show_hierarchy(output_dir: Path) -> None:
    from tripletree.datasets import load_hierarchy

    hierarchy = load_hierarchy(SAMPLE)
    rows = list(hierarchy_rows(hierarchy))
    for guarantee in ("identify", "rebuild"):
        triplets = decompose(hierarchy, guarantee=guarantee)
        again = one_tree(triplets)  # would refuse inconsistent ones
        if again != hierarchy or count_triplets(again) != count_triplets(hierarchy):
            raise bad_input(f"OneTree did not give the hierarchy back from decompose(guarantee={guarantee!r})")
        rows.append(
            (f"OneTree on the {len(triplets)}", "consistent, and gives the same hierarchy back, clade by clade")
        )
        if guarantee == "identify":
            write_triplets(triplets, output_dir / f"{SAMPLE}.txt")
    click.echo(f"1. A hierarchy: sample:{SAMPLE}\n{table_text(rows)}")


# ---------------------------------------------------------------------- clustering with knowledge


def _iris() -> Samples:
    from sklearn.datasets import load_iris

    data = load_iris()
    names = [str(x) for x in data.target_names]
    labels = [f"{names[c]} {i + 1}" for i, c in enumerate(data.target.tolist())]
    columns = [x.removesuffix(" (cm)") for x in data.feature_names]
    return Samples(labels, standardized(data.data), data.target, names, columns, data.data)


def _known(samples: Samples, seed: int) -> np.ndarray:
    """Tell which samples the class is known of: a random part of exactly the share."""
    n = len(samples.labels)
    known = np.zeros(n, np.bool_)
    known[np.random.default_rng(seed).permutation(n)[: round(SHARE * n)]] = True
    return known


def _triplets(samples: Samples, known: np.ndarray) -> TripletSet:
    return triplets_from_classes(samples.classes, leaves=samples.labels, samples=known)


def _outcome(samples: Samples, given: TripletSet | None, triplets: TripletSet, known: np.ndarray) -> Outcome:
    k = len(samples.class_names)
    model = clustered(samples.values, samples.labels, k, known={"triplets": given}, linkage=LINKAGE)
    hierarchy, clusters = model.hierarchy_, model.labels_
    return Outcome(
        hierarchy,
        clusters,
        triplet_score(hierarchy, triplets),
        pairwise_f_score(samples.classes, clusters),
        pairwise_f_score(samples.classes[~known], clusters[~known]),
    )


def _show_clustering(samples: Samples, known: np.ndarray, triplets: TripletSet, outcomes: list[Outcome]) -> None:
    n, k = len(samples.labels), len(samples.class_names)
    n_known = int(known.sum())
    click.echo("\n2. Clustering a data matrix: Fisher's irises (scikit-learn)")
    facts = [
        ("samples", f"{n} flowers of {k} species, {len(samples.columns)} measures each, standardised"),
        (
            "known",
            f"the species of {n_known} flowers ({SHARE:.0%}, drawn at random); of the other {n - n_known}, nothing",
        ),
        ("triplets", f"{len(triplets)} from these: a b | c with a and b of one species, c of another"),
        ("method", f"ReCon, {LINKAGE.capitalize()} linkage, cut into {k} clusters"),
    ]
    click.echo(table_text(facts))
    plain, informed = outcomes
    others = [_drawn(samples, seed) for seed in range(1, DRAWS + 1)]
    lines = [
        ("", "without", "with triplets"),
        ("triplets displayed", f"{plain.displayed:.3f}", f"{informed.displayed:.3f}"),
        ("pairwise F, all flowers", f"{plain.f_all:.3f}", f"{informed.f_all:.3f}"),
        (f"pairwise F, the {n - n_known} not known", f"{plain.f_unknown:.3f}", f"{informed.f_unknown:.3f}"),
        (f"  the same, mean of {DRAWS} other draws", *(f"{x:.3f}" for x in np.mean(others, axis=0))),
    ]
    click.echo()
    for name, a, b in lines:
        click.echo(f"  {name:<36}{a:>9}{b:>16}")


def _drawn(samples: Samples, seed: int) -> tuple[float, float]:
    """Pairwise F on the unknown, without and with triplets, when others are known."""
    known = _known(samples, seed)
    triplets = _triplets(samples, known)
    plain, informed = (_outcome(samples, given, triplets, known) for given in (None, triplets))
    return plain.f_unknown, informed.f_unknown


def _write_data(samples: Samples, known: np.ndarray, triplets: TripletSet, output_dir: Path) -> None:
    """The data and the triplets, to be read by `tripletree cluster`."""
    cells = zip(samples.labels, samples.raw.tolist(), samples.classes.tolist(), strict=True)
    rows = [["sample", *samples.columns, "class"], *([label, *row, samples.class_names[c]] for label, row, c in cells)]
    write_text([csv_text(rows)], output_dir / "data.csv")
    used = [x for x, is_known in zip(samples.labels, known.tolist(), strict=True) if is_known]
    write_triplets(triplets.restrict(used), output_dir / "known.txt")


def _draw(samples: Samples, known: np.ndarray, triplets: TripletSet, outcomes: list[Outcome], picture: Path) -> None:
    """Both dendrograms side by side."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("agg")
    figure, axes = plt.subplots(1, 2, figsize=(15, 14))
    # fixed before the drawing, which writes as many labels as fit
    figure.subplots_adjust(left=0.02, right=0.995, bottom=0.04, top=0.94, wspace=0.06)
    classes = [samples.class_names[c] for c in samples.classes.tolist()]
    for axis, outcome, what in zip(axes, outcomes, ("without triplets", f"with {len(triplets)} triplets"), strict=True):
        plot_dendrogram(
            outcome.hierarchy,
            ax=axis,
            triplets=triplets,
            clusters=outcome.clusters,
            classes=classes,
            title=f"{what}: pairwise F {outcome.f_all:.3f}, {outcome.displayed:.1%} of the triplets displayed",
        )
    figure.suptitle(
        f"Fisher's irises, ReCon with {LINKAGE.capitalize()} linkage: triplets from the species of "
        f"{int(known.sum())} of the {known.size} flowers",
        fontsize=14,
    )
    save_figure(figure, str(picture))
