"""The `Report`, the result of `report`: its summary in words, and its page, one file that needs no network.

Cells of tables and files are text here, escaped by `escaped`. Bars are SVG, since the security policy of the page
allows no styles but its own sheet.
"""

from __future__ import annotations

import html
import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from tripletree._version import __version__
from tripletree.algorithms.names import KINDS
from tripletree.core.checks import counted
from tripletree.core.html import escaped
from tripletree.core.triplets import TripletSet
from tripletree.io.source import write_atomic
from tripletree.plots.page import LeafExtras, content_hash, depth_first, fill_template, viewer_parts
from tripletree.reports.table import told_of_scale
from tripletree.reports.values import (
    CladeSupport,
    ClusterProfile,
    Doubt,
    FeatureContrast,
    KnownPart,
    PersonShare,
    TaxonFit,
    sets_of,
)
from tripletree.reports.words import (
    OF_NOTE,
    agreement_text,
    consistency,
    counted_noun,
    doubts_text,
    groups_text,
    help_text,
    least_whole,
    summary,
)

if TYPE_CHECKING:
    from tripletree.algorithms.conflict import Conflict
    from tripletree.algorithms.names import NameMatches
    from tripletree.algorithms.pair_conflict import Contradiction
    from tripletree.core.hierarchy import Hierarchy
    from tripletree.evaluation.knowledge import KnowledgeReport

#: Rows of each table. A line below tells the number left out.
ROWS = 25
#: Features in the table of a cluster, and clusters that have one.
FEATURES, CLUSTERS = 6, 40
#: Widths of bars for effects, in pixels, and the effect that fills one.
BAR, FULL = 42, 3.0
LIBRARIES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, eq=False)
class Report:
    """The result of `report`. ``print`` tells it in words, `to_html` writes a page.

    Attributes
    ----------
    kind : {"triplets", "comparisons", "pairs", "hierarchy", "classes", "answers"}
        Kind of the knowledge. Several are joined by "and".
    samples : tuple
        Their names.
    features : tuple of str
    parts : tuple of KnownPart
        For each kind what was given, how its names were matched, what in it cannot hold together, and its gain alone.
    known_samples : int
        Samples that the knowledge is about.
    contradiction : str
        Why two kinds that may have to hold cannot hold together, although each can. "" if they can.
    knowledge : KnowledgeReport or None
        The gain by all of the knowledge, measured with parts held out. None if there are too few constraints.
    informed, plain : estimator
        Fitted with the knowledge, and without.
    uses_knowledge : bool
        Which of the two is shown: `informed`, unless the knowledge was measured to hurt.
    agreement : float
        Adjusted Rand index of the flat clusters of the two: 1 if they are the same, 0 if no more alike than by chance.
    clusters : tuple of ClusterProfile
    clades : tuple of CladeSupport
        Up to 200 largest clades of three leaves or more, without the root, from the largest.
    taxa : tuple of TaxonFit
        If a hierarchy has names: its named groups of three samples or more, and how whole they are in the two trees,
        and in one in which the data may outvote the hierarchy.
    doubts : tuple of Doubt
        Doubts that do not hold in the result first.
    doubtful_samples : tuple of (name, number of held-out triplets that name it, how many of them fail)
        The samples whose held-out triplets mostly fail, the worst first.
    people : tuple of PersonShare
        If answers or comparisons of people are known. The lowest share comes first.
    shares_of_variance : ndarray of float64, shape (n_features,)
        Share of each feature in the sum of all. Empty for precomputed distances and Gower's.
    n_resamples : int
        Fits to 80 % of the samples, for the stability.
    standardized : bool
        True if features were given one scale before clustering.
    constraints : TripletSet, PairwiseConstraints, Comparisons or tuple of these
        The constraints that were looked at, in `knowledge` and in `doubts`. A tuple if there are several kinds.
    notes : tuple of str
        How a table of answers or comparisons was understood. What a hierarchy leaves open and what was made of it, as
        ``tripletree info`` tells it, and how many samples are open. Findings of its reader (placeholders contracted,
        imports not read) are among them if the hierarchy is what a reader returned (`tripletree.core.doubts`).
    second_names : dict
        Other names of samples, by their names.
    """

    kind: str
    samples: tuple[Any, ...]
    features: tuple[str, ...]
    parts: tuple[KnownPart, ...]
    known_samples: int
    contradiction: str
    knowledge: KnowledgeReport | None
    informed: Any
    plain: Any
    uses_knowledge: bool
    agreement: float
    clusters: tuple[ClusterProfile, ...]
    clades: tuple[CladeSupport, ...]
    taxa: tuple[TaxonFit, ...]
    doubts: tuple[Doubt, ...]
    doubtful_samples: tuple[tuple[Any, int, int], ...]
    people: tuple[PersonShare, ...]
    shares_of_variance: np.ndarray
    n_resamples: int
    standardized: bool
    constraints: Any = field(repr=False)
    notes: tuple[str, ...] = ()
    second_names: Mapping[Any, str] = field(default_factory=dict)

    @property
    def n_given(self) -> int:
        """Constraints given, of all kinds."""
        return sum(x.n_given for x in self.parts)

    @property
    def n_used(self) -> int:
        """Constraints on samples, of all kinds."""
        return sum(x.n_used for x in self.parts)

    @property
    def names(self) -> NameMatches | None:
        """How the names of the first kind that are written otherwise were matched."""
        return next((x.names for x in self.parts if x.names is not None), None)

    @property
    def conflicts(self) -> tuple[Conflict | Contradiction, ...]:
        """Constraints of one kind that cannot hold together."""
        return tuple(y for x in self.parts for y in x.conflicts)

    @property
    def model(self) -> Any:
        """The fitted estimator whose clusters are shown."""
        return self.informed if self.uses_knowledge else self.plain

    @property
    def hierarchy(self) -> Hierarchy:
        """The tree that is shown, over the names of the samples."""
        return self.model.hierarchy_

    @property
    def labels(self) -> np.ndarray:
        """The flat cluster of each sample."""
        return self.model.labels_

    def write_html(
        self, path: str | os.PathLike[str] | IO[Any], *, title: str | None = None, command: str | None = None
    ) -> None:
        """Write the report as one self-contained page: it needs no network, folds on a screen and can be printed.

        Parameters
        ----------
        path : path, file object or "-"
        title : str, optional
            By default the number of samples and the kind of knowledge.
        command : str, optional
            The command that made it, to be shown beside the versions. By default the call in Python.
        """
        page = _page(self, title, command)
        with write_atomic(path) as stream:
            stream.write(page)

    def __str__(self) -> str:
        """In words."""
        return "\n".join(f"{head}: {text}" for head, text in summary(self))


def _name(value: Any) -> str:
    """A label, kept apart from the direction of the text around it."""
    return f"<bdi>{escaped(value)}</bdi>"


def _sample(report: Report, value: Any) -> str:
    """The name of a sample, and in brackets its second one."""
    second = report.second_names.get(value)
    return _name(value) if second is None else f"{_name(value)} ({_name(second)})"


# ---------------------------------------------------------------------- pieces


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, more: int = 0, numbers: int = 0) -> str:
    """A table whose cells are HTML already. The first of each row is its header, the last `numbers` are numbers."""
    first_number = len(head) - numbers

    def line(row: Sequence[str]) -> str:
        cells = [f'<th scope="row">{row[0]}</th>']
        cells += [f'<td class="number">{x}</td>' if k >= first_number else f"<td>{x}</td>" for k, x in enumerate(row)][
            1:
        ]
        return f"<tr>{''.join(cells)}</tr>"

    heads = "".join(
        f'<th scope="col"{" class=number" if k >= first_number else ""}>{x}</th>' for k, x in enumerate(head)
    )
    rest = f'<p class="more">and {more:,} more</p>' if more > 0 else ""
    body = "\n".join(map(line, rows))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{html.escape(caption)}"><table>'
        f"<caption>{html.escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table></div>"
        f"{rest}"
    )


def _section(key: str, title: str, *parts: str) -> str:
    inside = "\n".join(x for x in parts if x)
    return (
        f'<section id="{key}" aria-labelledby="{key}-title">\n<h2 id="{key}-title">{title}</h2>\n{inside}\n</section>'
    )


def _element(tag: str, inside: str = "", *, of: str = "", **attributes: Any) -> str:
    """An element of SVG. `of` is its class, numbers have one digit behind the point."""
    given = {"class": of, **{key.replace("_", "-"): x for key, x in attributes.items()}}
    text = "".join(
        f' {key}="{x:.1f}"' if isinstance(x, float) else f' {key}="{html.escape(str(x))}"'
        for key, x in given.items()
        if x != ""
    )
    return f"<{tag}{text}>{inside}</{tag}>"


def _path(of: str, points: Iterable[tuple[float, float]]) -> str:
    """A line of straight pieces."""
    return _element("path", of=of, d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points))


def _bar(effect: float) -> str:
    """An effect as a bar to the left or the right of a line."""
    long = min(abs(effect), FULL) / FULL * BAR
    side, x = ("less", BAR - long) if effect < 0 else ("greater", float(BAR))
    bar = _element("rect", of=side, x=x, y=1, width=long, height=10)
    rule = _path("rule", [(BAR, 0), (BAR, 12)])
    size = {"width": 2 * BAR, "height": 12, "viewBox": f"0 0 {2 * BAR} 12"}
    return _element("svg", bar + rule, of="bar", aria_hidden="true", **size)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _value(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _percent(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.1%}"


def _share(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}"


# ---------------------------------------------------------------------- sections


def _in_short(report: Report) -> str:
    told = f"<ul class=told>{''.join(f'<li>{escaped(x)}</li>' for x in report.notes)}</ul>"
    rows = "".join(
        f"<dt>{escaped(head)}</dt><dd>{told if head == OF_NOTE else escaped(text)}</dd>"
        for head, text in summary(report)
    )
    notes = _notes(report)
    items = "".join(f"<li>{x}</li>" for x in notes)
    return _section(
        "short", "In short", f'<dl class="facts">{rows}</dl>', f"<ul class=notes>{items}</ul>" if notes else ""
    )


def _notes(report: Report) -> list[str]:
    """Advice on the findings."""
    found = []
    if report.knowledge is not None:
        advice = {
            "helps": "Use the knowledge: it also improves the place of samples about which it says nothing.",
            "hurts": "The clusters below do without the knowledge. It may be wrong (look at doubtful constraints), or "
            "right and about what these features do not show to this method.",
            "unclear": "The clusters below are made with the knowledge. They show it, but it did not make the place of "
            "other samples clearly better.",
        }
        found.append(advice[report.knowledge.verdict])
        if report.knowledge.caveat:
            found.append(escaped(report.knowledge.caveat))
        found += [
            f"The {x.kind} alone {'makes' if x.kind == 'hierarchy' else 'make'} results worse, and all of the "
            "knowledge does not: look at what is better without."
            for x in report.parts
            if x.alone is not None and x.alone.verdict == "hurts" and report.knowledge.verdict != "hurts"
        ]
        if report.knowledge.verdict == "unclear" and not report.knowledge.agrees:
            found.append(
                "Nothing shows that the data and the knowledge have to do with each other. Check that names and rows "
                "belong together, or give other features."
            )
    shares = report.shares_of_variance
    if (told := told_of_scale(shares, report.features)) is not None:
        found.append(f"{escaped(told)} (<code>--standardize</code>, <code>StandardScaler</code>).")
    how, other = ("without", report.plain) if report.uses_knowledge else ("with", report.informed)
    found.append(
        f"Made {how} the knowledge, the samples are {counted(int(np.max(other.labels_)) + 1, 'cluster')}. Their "
        f"similarity with those below is {report.agreement:.2f}: 1 means the same clusters, 0 no more alike than by "
        "chance (adjusted Rand index)."
    )
    return found


def _help(report: Report) -> str:
    found, title = report.knowledge, "Does the knowledge help?"
    words = help_text(report)
    if found is None:
        return _section("help", title, f"<p>{escaped(words[:1].upper() + words[1:])}</p>")
    rows = [
        (_amount(a), f"{share:.1%}", f"{error:.1%}", f"{chance:.1%}")
        for a, share, error, chance in zip(
            found.amounts.tolist(),
            found.agreement.tolist(),
            found.standard_error.tolist(),
            found.chance.tolist(),
            strict=True,
        )
    ]
    text = (
        f"<p>{escaped(agreement_text(report))}</p><p>{escaped(words)}</p>"
        f"<p>Statements on the samples were hidden, a part of the {found.n_samples:,} at a time, and each result was "
        "compared with the hidden ones. The gain beyond chance (a difference of Cohen’s kappa) is "
        f"{found.gain:+.2f}, with a standard error of {found.gain_error:.2f}. It counts if it is more than two "
        "standard errors.</p>"
    )
    table = _table(
        "Hidden constraints that hold, by the share of the other samples that was known",
        ("known of the others", "hold", "standard error", "by chance"),
        rows,
        numbers=3,
    )
    return _section("help", title, text, f'<div class="beside">{_chart(found)}{table}</div>', _each_kind(report))


def _each_kind(report: Report) -> str:
    """What each kind of knowledge brings by itself, and all of them. Nothing if there is one kind."""
    if len(report.parts) < 2:
        return ""
    rows: list[tuple[str, ...]] = []
    for x in report.parts:
        name, found = f"{x.kind} (votes)" if x.is_soft else x.kind, x.alone
        if found is None:
            rows.append((name, "too few", "–", "–", "–", _percent(x.with_all), "–", "–"))
        else:
            rows.append((name, *_judged(found, x.with_all)))
    if report.knowledge is not None:
        rows.append(("all together", *_judged(report.knowledge, float(report.knowledge.agreement[-1]))))
    return _table(
        "Each kind by itself: hidden constraints of this kind that hold, and the gain beyond chance",
        ("known", "it", "with nothing", "with this kind", "by chance", "with all kinds", "gain", "standard error"),
        rows,
        numbers=6,
    )


def _judged(found: KnowledgeReport, with_all: float) -> tuple[str, ...]:
    """The cells of a kind of knowledge."""
    said = {"helps": "helps", "hurts": "hurts", "unclear": "makes no clear difference"}[found.verdict]
    shares = (found.agreement[0], found.agreement[-1], found.chance[-1], with_all)
    return said, *(_percent(float(x)) for x in shares), _signed(found.gain), f"{found.gain_error:.2f}"


def _amount(share: float) -> str:
    return "none" if share == 0 else "all" if share == 1 else f"{share:.0%}"


def _chart(found: Any) -> str:
    """Agreement by amount, with bars of one standard error, over that by chance."""
    share, error = found.agreement, found.standard_error
    low, high = float(min((share - error).min(), found.chance.min())), float((share + error).max())
    step = next(x for x in (0.02, 0.05, 0.1, 0.2) if (high - low) / x <= 5 or x == 0.2)
    bottom, top = max(0.0, np.floor(low / step) * step), min(1.0, np.ceil(high / step) * step)
    if top - bottom < step:
        bottom, top = max(0.0, top - step), min(1.0, max(bottom, top - step) + step)

    def y(value: float) -> float:
        return 150 - 135 * (value - bottom) / (top - bottom)

    def x(amount: float) -> float:
        return 60 + 270 * amount

    parts = []
    for at in bottom + step * np.arange(round((top - bottom) / step) + 1):
        parts.append(_path("grid", [(50, y(at)), (345, y(at))]))
        parts.append(_element("text", f"{at:.0%}", of="left", x=44, y=y(at)))
    amounts = [x(a) for a in found.amounts.tolist()]
    parts.append(_path("chance", zip(amounts, map(y, found.chance.tolist()), strict=True)))
    ends = [y(float(share[-1])), y(float(found.chance[-1]))]  # each line is named behind its end, where none passes
    apart = max(14 - abs(ends[1] - ends[0]), 0.0) / 2
    low, high = (1, 0) if ends[1] >= ends[0] else (0, 1)
    ends[low], ends[high] = ends[low] + apart, ends[high] - apart
    for name, end in zip(("hold", "by chance"), ends, strict=True):
        parts.append(_element("text", name, of="right", x=350, y=end))
    parts.append(_path("course", zip(amounts, map(y, share.tolist()), strict=True)))
    for a, at, s, e in zip(found.amounts.tolist(), amounts, share.tolist(), error.tolist(), strict=True):
        parts.append(_path("error", [(at, y(min(s + e, top))), (at, y(max(s - e, bottom)))]))
        parts.append(_element("circle", cx=at, cy=y(s), r=4))
        parts.append(_element("text", _amount(a), of="foot", x=at, y=168))
    parts.append(_element("text", "of the other samples known", of="foot", x=195, y=186))
    label = "Hidden constraints that hold, by the share of the other samples that is known; the table has the numbers"
    chart = _element("svg", "".join(parts), of="chart", viewBox="0 0 412 192", role="img", aria_label=label)
    return f"<figure>{chart}</figure>"


def _names(report: Report) -> str:
    parts = [_names_of(x) for x in report.parts if x.names is not None]
    return _section("names", "Names", *parts) if parts else ""


def _names_of(part: KnownPart) -> str:
    found = part.names
    assert found is not None
    count = Counter(found.kinds)
    called = {
        "exact": "the same",
        "form": "the same except for case, blanks, underscores and accents",
        "synonym": "a synonym",
        "species": "by the species",
        "spelling": "by spelling",
        "genus": "by the genus",
        "none": "not found",
    }
    parts = [f"{count[kind]:,} {called.get(kind, kind)}" for kind in KINDS if count[kind]]
    which = (
        "The samples' names were looked for in the hierarchy"
        if part.kind == "hierarchy"
        else f"These names in the {part.kind} are not names of samples, and were looked for among them"
    )
    terms = found.term_names()
    rows = [
        (
            _name(name),
            "–" if match is None else _name(terms.get(match, match)),
            kind,
            ", ".join(_name(terms.get(x, x)) for x in offered) or "–",
            f"{score:.2f}" if kind == "spelling" else "",
        )
        for name, match, kind, score, offered in zip(
            found.names, found.matches, found.kinds, found.scores.tolist(), found.suggestions, strict=True
        )
        if kind not in ("exact", "form")
    ]
    rank = {kind: k for k, kind in enumerate(("none", "ambiguous", "genus", "spelling", "species", "synonym"))}
    rows.sort(key=lambda row: rank.get(row[2], len(rank)))
    what = (
        "<p>“genus”: placed at its genus only. “none” and “ambiguous”: nothing is known of these samples, so "
        "correct their names in the data, or with <code>tripletree match</code>.</p>"
    )
    table = _table(
        "Names to look at",
        ("name", "taken for", "how", "similar names", "likeness"),
        rows[:ROWS],
        more=len(rows) - ROWS,
        numbers=1,
    )
    return f"<p>{which}: {', '.join(parts)}.</p>" + (f"{table}\n{what}" if rows else "")


def _conflicts(report: Report) -> str:
    judged = consistency(report)
    if not judged:
        return ""
    parts = [f"<p>{escaped(text[:1].upper() + text[1:])}</p>" for text in judged]
    shown = [f"<pre>{escaped(x)}</pre>" for x in (*report.conflicts[:5], *filter(None, [report.contradiction]))]
    more = len(report.conflicts) - 5
    last = f'<p class="more">and {more:,} more</p>' if more > 0 else ""
    return _section("conflicts", "Can it hold together?", *parts, *shown, last)


def _clusters(report: Report) -> str:
    intro = (
        "<p>Features are listed by how surely they set a cluster apart: by the lower end of the 95% interval of "
        "Cohen’s <i>d</i>, the difference of the means inside and outside, in standard deviations within the two "
        "groups. The interval is wide where few samples have a value. The clusters were made from these features, so "
        "effects describe them, and are no test of anything.</p>"
        if report.features and len(report.clusters) > 1
        else ""
    )
    if report.n_resamples:
        intro += (
            f"<p>Stability: mean Jaccard index with the most similar cluster in {report.n_resamples} fits to 80% of "
            "the samples with the statements on them. 1 means that the cluster always came back the same."
        )
        if getattr(report.model, "clade_support_", None) is not None:
            intro += " Trees of these fits are sampled in a fifth of the steps."
        intro += "</p>"
    chosen = getattr(report.model, "n_clusters_choice_", None)
    if chosen is not None:
        intro += f"<p>Why this number: {escaped(chosen.reason)}.</p>"
    cards = "\n".join(_card(report, x) for x in report.clusters[:CLUSTERS])
    more = len(report.clusters) - CLUSTERS
    return _section(
        "clusters",
        "The clusters",
        intro,
        f'<div class="cards">{cards}</div>',
        f'<p class="more">and {more:,} more</p>' if more > 0 else "",
    )


def _card(report: Report, profile: ClusterProfile) -> str:
    facts = [("samples", f"{len(profile.samples):,}")]
    if not np.isnan(profile.stability):
        facts.append(("stability", _share(profile.stability)))
    facts.append(("most typical", _sample(report, profile.typical)))
    if profile.taxon is not None:
        facts.append(("most like", f"{_name(profile.taxon)} <small>Jaccard {profile.jaccard:.2f}</small>"))
    said = "".join(f"<dt>{head}</dt><dd>{text}</dd>" for head, text in facts)
    table = ""
    if profile.features:
        table = _table(
            f"Features of cluster {profile.number}, which differ most surely first",
            ("feature", "inside", "outside", "<i>d</i>", '<span class="unseen">d as a bar</span>'),
            [_feature_row(x, profile) for x in profile.features[:FEATURES]],
            numbers=4,
        )
    members = ", ".join(_sample(report, x) for x in profile.samples[:500])
    more = f", and {len(profile.samples) - 500:,} more" if len(profile.samples) > 500 else ""
    return (
        f'<article class="card" aria-label="cluster {profile.number}"><h3>Cluster {profile.number}</h3>'
        f'<dl class="facts">{said}</dl>{table}'
        f"<details><summary>its samples</summary><p>{members}{more}</p></details></article>"
    )


def _feature_row(x: FeatureContrast, profile: ClusterProfile) -> tuple[str, ...]:
    name = _name(x.feature).replace("_", "_<wbr>")
    if x.n_inside < len(profile.samples):
        name += f" <small>known of {x.n_inside:,}</small>"
    return name, _value(x.inside), _value(x.outside), _signed(x.effect), _bar(x.effect)


def _clade_text(report: Report, node: int) -> str:
    """The name of a clade, else some of its samples."""
    tree = report.hierarchy
    called = None if tree.names is None else tree.names[node - tree.n_leaves]
    if called is not None:
        return _name(called)
    start, stop, order = tree.leaf_intervals
    some = [tree.leaves[i] for i in order[start[node] : min(stop[node], start[node] + 3)].tolist()]
    return ", ".join(_sample(report, x) for x in some) + (", …" if stop[node] - start[node] > 3 else "")


def _clades(report: Report) -> str:
    if not report.clades:
        return ""
    _, place, _ = depth_first(report.hierarchy)
    sampled = not all(np.isnan(x.probability) for x in report.clades)
    rows = [
        (
            f'{_clade_text(report, x.node)} <button type="button" data-node="{int(place[x.node])}">show</button>',
            f"{x.size:,}",
            _share(x.stability),
            *([_share(x.probability)] if sampled else []),
            f"{x.displayed:,}",
            f"{x.violated:,}",
        )
        for x in report.clades[:ROWS]
    ]
    text = (
        f"<p>Stability as for clusters, in the trees of the same {report.n_resamples} fits. For: known triplets "
        "<i>ab|c</i> with <i>a</i> and <i>b</i> in the clade and <i>c</i> outside. Against: those with <i>c</i> and "
        "just one of <i>a</i> and <i>b</i> in it.</p>"
    )
    if sampled:
        text += (
            "<p>Probability: the share of trees with just this clade among trees sampled from their posterior, given "
            "the data and the knowledge. One sample more or less makes another clade, so large clades have low "
            "probabilities although most of their samples belong together."
        )
        if getattr(report.model, "constraints_", None) == "hard":
            text += " Clades that the knowledge implies have 1, whatever the data say, as all of it must hold."
        mixing = getattr(report.model, "mixing_", None)
        if mixing is not None:
            trees, open_ = round(mixing.effective_trees), len(mixing.r_hat)
            text += (
                f" The sample is worth about {counted(trees, 'independent tree')}, by how far its two chains "
                "differ. Probabilities are as low as if one more tree lacked the clade. "
            )
            if open_:
                text += (
                    f"The chains disagree (R-hat above 1.1) on {mixing.disagreeing:.0%} of the "
                    f"{counted(open_, 'random triplet')} that they leave open, and the median of these is known by "
                    f"{counted(round(float(np.median(mixing.effective_sizes))), 'independent tree')}. "
                )
            text += (
                "If the trees are few, or the chains often disagree, give <code>DivisiveReCon(effort=4)</code> or more "
                "as the estimator. Probabilities presume that the features follow the model of the tree, and are too "
                "high on many real tables."
            )
        text += "</p>"
    table = _table(
        "The largest clades, and their support",
        ("clade", "samples", "stability", *(["probability"] if sampled else []), "for", "against"),
        rows,
        more=len(report.clades) - ROWS,
        numbers=5 if sampled else 4,
    )
    return _section("clades", "Support of clades", text, table)


def _taxa(report: Report) -> str:
    if not report.taxa:
        return ""
    soft = not np.isnan(report.taxa[0].soft)
    order = least_whole(report) + [x for x in report.taxa if x.state == "whole"]
    rows = [
        (
            _name(x.name),
            f"{x.size:,}",
            "more than half" if x.state == "half" else x.state,
            _some(report, x.lost),
            _some(report, x.strangers),
            _share(x.without),
            *([_share(x.soft)] if soft else []),
        )
        for x in order[:ROWS]
    ]
    words = groups_text(report)
    looked_at = "in a tree in which the data may outvote the hierarchy" if soft else "in the tree of the data alone"
    text = (
        f"<p>{escaped(words[:1].upper() + words[1:])}</p><p>Each named group is compared with the clade most like it "
        f"{looked_at}: with the samples of the group that are elsewhere, and others that are in there. A broken group "
        "is one that the data contradict, or do not show. The numbers are Jaccard indices: 1 means that the group is "
        f"a clade{' (“data first”: the data may outvote the hierarchy)' if soft else ''}. The tree with it has "
        + ("all of them" if all(x.given == 1 for x in report.taxa) else "some of them")
        + " as clades.</p>"
    )
    astray = _astray(report.taxa)
    if astray:
        told = ", ".join(f"{_sample(report, x)} ({lost:,} of its {of:,} groups)" for x, lost, of in astray)
        text += f"<p>Samples that are elsewhere than most of their groups: {told}.</p>"
    table = _table(
        "Groups of the hierarchy, those that the data contradict first",
        ("group", "samples", "it is", "elsewhere", "others in it", "data alone", *(["data first"] if soft else [])),
        rows,
        more=len(report.taxa) - ROWS,
        numbers=2 if soft else 1,
    )
    return _section("groups", "Does the table contradict its groups?", text, table)


def _astray(taxa: Sequence[TaxonFit]) -> list[tuple[Any, int, int]]:
    """The samples that are outside of most of their groups, at least three: how many, and of how many."""
    lost = Counter(x for group in taxa for x in group.lost)
    inside = Counter(x for group in taxa for x in group.kept)
    found = [(x, k, k + inside[x]) for x, k in lost.items() if k >= 3 and k > inside[x]]
    return sorted(found, key=lambda x: (-x[1] / x[2], -x[1]))[:6]


def _some(report: Report, samples: Sequence[Any]) -> str:
    """A few names, and how many more there are."""
    few = samples if len(samples) < 5 else samples[:3]
    more = len(samples) - len(few)
    return (", ".join(_sample(report, x) for x in few) or "–") + (f", and {more:,} more" if more else "")


def _doubts(report: Report) -> str:
    parts = [f"<p>{escaped(doubts_text(report)[:1].upper() + doubts_text(report)[1:])}</p>"]
    measured = report.knowledge is not None
    if report.doubts:
        said = any(x.who for x in report.doubts)
        read = any(x.origin is not None for x in report.doubts)
        of_groups = any(x.taxon is not None for x in report.doubts)
        head = [
            "constraint",
            *(["group"] if of_groups else []),
            "holds",
            *(["said by"] if said else []),
            *(["read in"] if read else []),
        ]
        head += ["of 4 hidden"] if measured else []
        rows = [_doubt_row(report, x, of_groups, said, read, measured) for x in report.doubts[:ROWS]]
        noun = f"Doubtful {counted_noun(report)}s"
        if measured:
            parts.append(
                "<p>Hidden: in how many of four results that knew nothing of one of its samples (and of none, 25%, 50% "
                "and all of the others) a constraint holds. 0 of 4: neither the data nor the others speak for it.</p>"
            )
        parts.append(_table(noun, head, rows, more=len(report.doubts) - ROWS, numbers=1 if measured else 0))
    if report.doubtful_samples:
        some = report.doubtful_samples[:ROWS]
        parts.append(
            _table(
                "Samples in a doubtful place: at least half of the constraints that name them fail when hidden",
                ("sample", "hidden constraints", "fail"),
                [(_sample(report, x), f"{tested:,}", f"{failed:,}") for x, tested, failed in some],
                more=len(report.doubtful_samples) - ROWS,
                numbers=2,
            )
        )
    if report.people:
        parts.append(
            _table(
                "People: answers that hold in results made without them",
                ("person", "answers", "hold"),
                [(_name(x.who), f"{x.n_answers:,}", f"{x.share:.1%}") for x in report.people[:ROWS]],
                more=len(report.people) - ROWS,
                numbers=2,
            )
        )
    return _section("doubts", "What is doubtful", *parts)


def _doubt_row(report: Report, x: Doubt, of_groups: bool, said: bool, read: bool, measured: bool) -> list[str]:
    a, b, *c = (_sample(report, label) for label in x.labels)
    text = f"{a}, {b} | {c[0]}" if c else f"{x.kind} {a} – {b}"
    if x.kind == "comparison":
        text = f"{a} nearer {b} than {c[0]}"
    group = [] if not of_groups else ["–" if x.taxon is None else _name(x.taxon)]
    row = [text, *group, "yes" if x.holds else "no"]
    if said:
        row.append(", ".join(map(_name, x.who)) or "–")
    if read:
        row.append("–" if x.origin is None else escaped(x.origin))
    return [*row, f"{x.held_out}"] if measured else row


def _made(report: Report, command: str | None) -> str:
    model = report.model
    method = f"{type(model).__name__}({', '.join(f'{k}={v!r}' for k, v in sorted(_changed(model).items()))})"
    rows = [("method", method)]
    if report.uses_knowledge and isinstance(getattr(model, "constraints_", None), str):
        rows.append(("constraints", f"{model.constraints_}: {model.reason_}"))
        if model.noise_ > 0:
            rows.append(("taken for wrong", f"about {model.noise_:.0%} of the triplets"))
    rows.append(("tripletree", __version__))
    rows.append(("Python", f"{platform.python_version()}, {platform.system()} {platform.machine()}"))
    rows += [(x, _version_of(x)) for x in LIBRARIES]
    made = (
        f"<pre>{escaped(command)}</pre>"
        if command
        else f"<p><code>tripletree.report(X, {', '.join(f'{x.kind}=...' for x in report.parts)})</code></p>"
    )
    facts = "".join(f"<dt>{escaped(a)}</dt><dd>{escaped(b)}</dd>" for a, b in rows)
    return _section("made", "How this was made", made, f'<dl class="facts">{facts}</dl>')


def _changed(model: Any) -> dict[str, Any]:
    """The parameters of an estimator that are not its defaults."""
    import inspect

    defaults = {k: p.default for k, p in inspect.signature(type(model).__init__).parameters.items()}
    return {
        k: v for k, v in model.get_params(deep=False).items() if k != "verbose" and repr(v) != repr(defaults.get(k))
    }


def _version_of(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


# ---------------------------------------------------------------------- the page


def _page(report: Report, title: str | None, command: str | None) -> str:
    """The whole page."""
    known = next((x for x in sets_of(report.constraints) if isinstance(x, TripletSet)), None)
    used = getattr(report.informed, "triplets_", None)
    triplets = used if isinstance(used, TripletSet) and len(used) else known
    sure = getattr(report.model, "clade_support_", None)
    beside = LeafExtras(second_names=report.second_names or None)
    parts = viewer_parts(report.hierarchy, triplets, np.asarray(report.labels), None, "auto", sure, beside)
    style, script = parts["style"] + _file("report.css"), parts["script"] + _file("report.js")
    kind = " and ".join(
        {"classes": "some classes", "hierarchy": "a hierarchy"}.get(x.kind, x.kind) for x in report.parts
    )
    name = title or f"{counted(len(report.samples), 'sample')}, {kind} known"
    sections = {
        "short": _in_short(report),
        "help": _help(report),
        "names": _names(report),
        "conflicts": _conflicts(report),
        "clusters": _clusters(report),
        "clades": _clades(report),
        "groups": _taxa(report),
        "doubts": _doubts(report),
        "made": _made(report, command),
    }
    titles = {
        "short": "In short",
        "help": "Does it help?",
        "names": "Names",
        "conflicts": "Can it hold?",
        "tree": "Tree",
        "clusters": "Clusters",
        "clades": "Clades",
        "groups": "Groups",
        "doubts": "Doubtful",
        "made": "How made",
    }
    shown = [key for key in titles if key == "tree" or sections.get(key)]
    parts |= {
        "style": style,
        "style-hash": content_hash(style),
        "script": script,
        "script-hash": content_hash(script),
        "title": escaped(name),
        "contents": "".join(f'<li><a href="#{key}">{titles[key]}</a></li>' for key in shown),
        "tree-text": _tree_text(report, triplets),
        **{f"section-{key}": text for key, text in sections.items()},
    }
    return fill_template(_file("report.html"), parts)


def _tree_text(report: Report, triplets: TripletSet | None) -> str:
    how = "with" if report.uses_knowledge else "without"
    text = f"The tree made {how} the knowledge. Lines have the colours of the clusters."
    if triplets is not None and len(triplets):
        from tripletree.algorithms.induce import displays

        share = displays(report.hierarchy, triplets).mean()
        if report.kind == "hierarchy" and share == 1:
            text += " It keeps all that the hierarchy says of the samples."  # the triplets used imply the others
        else:
            text += f" It displays {share:.1%} of the {len(triplets):,} triplets that were used."
    return escaped(text)


def _file(name: str) -> str:
    return files("tripletree.reports").joinpath(name).read_text(encoding="utf-8")
