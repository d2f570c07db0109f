"""From Gene Ontology and annotations of samples to a clustering in which the ontology's triplets hold."""

import os
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tripletree as tt
from tripletree.cluster import ReCon
from tripletree.io import read_obo, write_obo

PLACES = [os.environ.get("TRIPLETREE_DATA", ""), "/usr/lib/R/site-library/GO.db/extdata"]


@pytest.fixture(scope="module")
def biological_process(tmp_path_factory):
    """Gene Ontology's biological processes, by way of an OBO file."""
    path = next((p for x in PLACES if x and (p := Path(x) / "GO.sqlite").is_file()), None)
    if path is None:
        pytest.skip("no GO.sqlite: install Debian's r-bioc-go.db, or put the file in the folder TRIPLETREE_DATA names")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
        terms = base.execute("select _id, go_id, term from go_term where ontology = 'BP' and go_id != 'all'").fetchall()
        edges = base.execute("select _id, _parent_id from go_bp_parents where relationship_type = 'isa'").fetchall()
    base.close()
    place = {key: k for k, (key, _, _) in enumerate(terms)}
    rows = [(place[a], place[b]) for a, b in edges if a in place and b in place]
    ontology = tt.Ontology([x for _, x, _ in terms], rows, names=[x for _, _, x in terms])
    file = tmp_path_factory.mktemp("go") / "go.obo.gz"
    write_obo(ontology, file)
    found = tt.read_ontology(file)
    assert found == ontology == read_obo(file)
    return found


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the features agree")  # which are random
def test_gene_ontology__annotations_triplets_clustering(biological_process, tmp_path):
    rng = np.random.default_rng(0)
    genes = [f"gene{i}" for i in range(300)]
    pick = rng.integers(0, biological_process.n_terms, (300, 2))  # inner terms, too, and two each
    lines = ["!gaf-version: 2.2"]
    for gene, terms in zip(genes, pick.tolist(), strict=True):
        for term in dict.fromkeys(biological_process.terms[t] for t in terms):
            row = [
                "DB",
                gene,
                gene,
                "involved_in",
                term,
                "PMID:1",
                "IDA",
                "",
                "P",
                "",
                "",
                "protein",
                "taxon:1",
                "2026",
            ]
            lines.append("\t".join([*row, "DB", "", ""]))
    (tmp_path / "genes.gaf").write_text("\n".join(lines) + "\n")
    annotations = tt.read_annotations(tmp_path / "genes.gaf")
    assert sorted(annotations) == sorted(genes)
    samples = biological_process.attach(annotations).restrict(genes)
    assert list(samples.leaves) == genes
    known = tt.sample_triplets(samples, 2000, random_state=0)
    assert tt.displays(samples, known).all()
    assert tt.is_consistent(known)
    for parent in ("deepest", "first", "smallest"):  # certain: whichever is chosen
        assert tt.displays(samples.to_hierarchy(parent=parent), known).all()
    X = pd.DataFrame(rng.normal(size=(300, 5)), index=genes)
    model = ReCon(n_clusters=5).fit(X, triplets=known)
    assert tt.displays(model.hierarchy_, known).all()
    unknown = {**annotations, "odd": ["GO:9999999"], "odder": ["GO:0008150x"]}
    with pytest.raises(tt.errors.UnknownLeafError) as caught:
        biological_process.attach(unknown)
    assert caught.value.labels == ["GO:9999999", "GO:0008150x"]
