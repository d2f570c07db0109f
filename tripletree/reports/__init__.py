"""One report on a table and the knowledge about its samples: does it fit, does it help, which are the clusters.

Law: combines measures and pictures of the rooms below. Only effects and stability are measured here.
"""

from tripletree.reports.analysis import report
from tripletree.reports.page import Report
from tripletree.reports.values import (
    CladeSupport,
    ClusterProfile,
    Doubt,
    FeatureContrast,
    KnownPart,
    PersonShare,
    TaxonFit,
)

__all__ = [
    "CladeSupport",
    "ClusterProfile",
    "Doubt",
    "FeatureContrast",
    "KnownPart",
    "PersonShare",
    "Report",
    "TaxonFit",
    "report",
]
