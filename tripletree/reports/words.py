"""A `Report` in words: its lines, each with a subject."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from tripletree.core.checks import counted
from tripletree.reports.values import KnownPart, TaxonFit, sets_of

if TYPE_CHECKING:
    from tripletree.evaluation.knowledge import KnowledgeReport
    from tripletree.reports.page import Report

#: The head of the lines on what the knowledge leaves open.
OF_NOTE = "Of note"


def summary(report: Report) -> list[tuple[str, str]]:
    """The report in some lines, each with its subject."""
    n = len(report.samples)
    features = f", {counted(len(report.features), 'feature')}" if report.features else ""
    scale = ", each given mean 0 and deviation 1" if report.standardized else ""
    lines = [("Data", f"{counted(n, 'sample')}{features}{scale}.")]
    lines += [("Known", _known_text(report, x)) for x in report.parts]
    if report.notes:
        lines.append((OF_NOTE, "; ".join(report.notes) + "."))
    lines += [("Names", _names_text(x)) for x in report.parts if x.names is not None]
    lines += [("Consistent", text) for text in consistency(report)]
    if report.knowledge is not None:
        lines.append(("Do the data agree", agreement_text(report)))
    lines.append(("Does it help", help_text(report)))
    if len(report.parts) > 1:
        lines.append(("Each kind alone", _alone_text(report)))
    if report.taxa:
        lines.append(("Groups", groups_text(report)))
    lines.append(("Clusters", _clusters_text(report)))
    lines.append(("Doubtful", doubts_text(report)))
    return lines


def _clusters_text(report: Report) -> str:
    k, unknown = len(report.clusters), len(report.samples) - report.known_samples
    sizes = ", ".join(f"{len(x.samples):,}" for x in report.clusters[:12]) + (", ..." if k > 12 else "")
    how = "with the knowledge" if report.uses_knowledge else "without the knowledge, which was measured to hurt"
    text = f"{k:,}, made {how}, of {sizes} samples."
    if report.uses_knowledge and unknown:
        them = "it" if unknown == 1 else "them"
        text += f" {counted(unknown, 'sample')} without knowledge: the data alone place {them}."
    return text


def _known_text(report: Report, part: KnownPart) -> str:
    n, used, given, votes = len(report.samples), part.n_used, part.n_given, ", as votes" if part.is_soft else ""
    if part.kind == "hierarchy":
        found = f"a hierarchy of {counted(given, 'leaf', 'leaves')}; {used:,} of the {n:,} samples have a place in it"
        return f"{found}{votes}."
    if part.kind == "classes":
        lost = f" ({given:,} given)" if given != used else ""
        return f"the classes of {used:,} of the {n:,} samples{lost}{votes}."
    if part.kind == "answers":
        others = given - used
        more = (
            f"; {counted(others, 'other that names', 'others that name')} none, or not among samples" if others else ""
        )
        answers = counted(used, "answer that names", "answers that name")
        return f"{answers} an odd one, about {part.known_samples:,} samples{more}."
    noun = counted(given, part.kind.removesuffix("s"))
    lost = f"; {given - used:,} of them not about samples, and left out" if used < given else ""
    return f"{noun} about {part.known_samples:,} of the {n:,} samples{lost}{votes}."


def _names_text(part: KnownPart) -> str:
    found = part.names
    assert found is not None
    missing = len(found.unmatched)
    by_genus = sum(kind == "genus" for kind in found.kinds)
    others = sum(kind != "exact" for kind in found.kinds) - missing - by_genus
    whose = "names of samples" if part.kind == "hierarchy" else "names that no sample has"
    text = (
        f"{others:,} of the {len(found.names):,} {whose} {'is' if others == 1 else 'are'} written otherwise and matched"
    )
    if by_genus:
        text += f"; {by_genus:,} {'is' if by_genus == 1 else 'are'} not there and placed by the genus alone"
    if found.shared:
        taxa = counted(len(found.shared), "name is", "names are")
        match, some = next(iter(found.shared.items()))
        which = ", ".join(map(str, some[:4])) + (", ..." if len(some) > 4 else "")
        text += f"; {taxa} meant by several: {found.term_names().get(match, match)} by {which}"
    return f"{text}; {missing:,} {'matches' if missing == 1 else 'match'} nothing." if missing else f"{text}."


def consistency(report: Report) -> list[str]:
    """Whether the statements of each kind can hold together, and the kinds that may have to hold."""
    judged = [x for x in report.parts if x.kind in ("triplets", "answers", "pairs")]
    if len(report.parts) == 1:
        return [_consistency_text(x) for x in judged]
    if report.conflicts:
        return [f"the {x.kind}: {_consistency_text(x)}" for x in judged]
    which = " that have to" if any(x.is_soft for x in report.parts) else ""
    if report.contradiction:
        return [f"no: each kind can hold by itself, but not all kinds{which} together."]
    return [f"yes, all kinds{which} can hold together."]


def _consistency_text(part: KnownPart) -> str:
    if not part.conflicts:
        return "yes, all of it can hold together."
    count = len(part.conflicts)
    if part.kind == "pairs":
        return (
            f"no: {counted(count, 'cannot-link')} {'is' if count == 1 else 'are'} contradicted by must-links, and "
            "left out."
        )
    return f"no: {counted(count, 'conflict')} found, without common triplets (the search stops at 5)."


def _alone_text(report: Report) -> str:
    """What each kind brings by itself."""
    said = {"helps": "help{}", "hurts": "hurt{}", "unclear": "make{} no clear difference"}
    found = []
    for x in report.parts:
        verb = "too few to tell" if x.alone is None else said[x.alone.verdict].format("s" * (x.kind == "hierarchy"))
        found.append(f"the {x.kind} {verb}{'' if x.alone is None else _gain_text(x.alone)}")
    return f"{'; '.join(found)}{'' if report.knowledge is None else '; all together' + _gain_text(report.knowledge)}."


def _gain_text(found: KnowledgeReport) -> str:
    return f" ({found.gain:+.2f} +-{found.gain_error:.2f})"


def help_text(report: Report) -> str:
    found = report.knowledge
    if found is None:
        return "not measured: that takes knowledge about four samples or more, from which something follows."
    effect = {
        "helps": "improves the place of a sample",
        "hurts": "makes the place of a sample worse",
        "unclear": "makes no clear difference to the place of a sample"
        if found.agrees
        else "makes no difference to the place of a sample that can be told from chance",
    }[found.verdict]
    return (
        f"Knowledge about other samples {effect}. With all others known, the results "
        f"agree with {found.agreement[-1]:.0%} of the {_compared(report)}; {found.chance[-1]:.0%} would agree if "
        "samples exchanged their names."
    )


def agreement_text(report: Report) -> str:
    found = report.knowledge
    assert found is not None
    beyond = "This is more than chance gives" if found.agrees else "This cannot be told from chance"
    return (
        f"Without any knowledge, the data on their own agree with {found.agreement[0]:.0%} of the {_compared(report)}. "
        f"{beyond}: {found.chance[0]:.0%} would agree if samples exchanged their names."
    )


def groups_text(report: Report) -> str:
    """Which named groups of the hierarchy the data keep whole if they may outvote it, and which not."""
    states = Counter(x.state for x in report.taxa)
    how = "a tree of the data alone" if np.isnan(report.taxa[0].soft) else "a tree in which the data may outvote it"
    text = (
        f"of the {counted(len(report.taxa), 'named group')} of the hierarchy {states['whole']:,} "
        f"{'is' if states['whole'] == 1 else 'are'} whole in {how}, {states['half']:,} more than half, and "
        f"{states['broken']:,} broken"
    )
    if states["broken"]:
        text += f" ({'it is' if states['broken'] == 1 else 'they are'} contradicted by the data, or not shown by them)"
    worst = least_whole(report)[:3]
    return f"{text}: {'; '.join(map(_told_of_group, worst))}." if worst else f"{text}."


def least_whole(report: Report) -> list[TaxonFit]:
    """Return the groups that are not whole, broken ones first, and the largest first among them."""
    rank = {"broken": 0, "half": 1}
    return sorted((x for x in report.taxa if x.state != "whole"), key=lambda x: (rank[x.state], -x.size))


def _told_of_group(group: TaxonFit) -> str:
    """A group in words, as plain text."""
    inside = group.size - len(group.lost)
    others = f" and {counted(len(group.strangers), 'other')}" if group.strangers else ""
    return f"{group.name} (the clade most like it has {inside:,} of its {group.size:,}{others})"


def _compared(report: Report) -> str:
    """The constraints that results were compared with."""
    assert report.knowledge is not None
    noun = {
        "hierarchy": "triplets drawn at random from the hierarchy",
        "classes": "triplets of the classes",
        "pairs": "pairs",
        "comparisons": "comparisons",
    }
    other = "triplets" if len(report.parts) == 1 else "statements"
    return f"{report.knowledge.holds.shape[1]:,} {noun.get(report.kind, other)}"


def counted_noun(report: Report) -> str:
    """What one of the constraints that were looked at is called."""
    if len(sets_of(report.constraints)) > 1:
        return "statement"
    return {"pairs": "pair", "comparisons": "comparison"}.get(report.kind, "triplet")


def doubts_text(report: Report) -> str:
    m = sum(len(x.rows) for x in sets_of(report.constraints))
    if not m:
        return "nothing: no constraint could be checked."
    lost = sum(not x.holds for x in report.doubts)
    noun = counted_noun(report)
    result = {"pair": "clusters keep", "statement": "result keeps"}.get(noun, "tree keeps")
    drawn = {"hierarchy": " drawn from the hierarchy", "classes": " of the classes"}.get(report.kind, "")
    checked = f"{counted(m, noun)}{drawn}"
    if lost == 0:
        text = f"the {result} all {checked}." if m > 1 else f"the {result} the one {noun}{drawn}."
    else:
        others = "one" if lost == 1 else f"{lost:,}"
        text = f"the {result} {m - lost:,} of {checked}, but not the other {others}."
    more = len(report.doubts) - lost
    if more:
        text += (
            f" Of the kept ones {more:,} {'rests' if more == 1 else 'rest'} on the knowledge alone: without the "
            f"statements on one of their samples, results do not have {'it' if more == 1 else 'them'}."
        )
    return text
