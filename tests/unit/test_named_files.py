"""Files that are known and not read are called what they are, with a way on."""

import io
import subprocess

import pytest

from tripletree.errors import ParseError
from tripletree.io import read_hierarchy, recognize

NAMED = {
    "OWL in functional syntax": "Prefix(:=<http://x.org/>)\nOntology(<http://x.org/o>\nSubClassOf(:Cat :Animal)\n)\n",
    "OWL in Manchester syntax": "Prefix: : <http://x.org/>\nOntology: <http://x.org/o>\nClass: :Cat\n",
    "RDF in Turtle": "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<#cat> skos:broader <#animal> .\n",
    "a report of Kraken": " 12.50\t250\t250\tU\t0\tunclassified\n 87.50\t1750\t3\tR\t1\troot\n",
    "a profile of CAMI": "@SampleID:s\n\n@Version:0.10.0\n@@TAXID\tRANK\tTAXPATH\tTAXPATHSN\n2\tx\t2\tB\n",
    "rankedlineage.dmp": "7\t|\tApis cerana\t|\t\t|\tApis\t|\tApidae\t|\tBees\t|\tInsecta\t|\t\t|\tAnimals\t|\tE\t|\n",
    "fullnamelineage.dmp": "7\t|\tApis mellifera\t|\tcellular organisms; Eukaryota; Apis; \t|\n",
    "taxidlineage.dmp": "7\t|\t131567 2759 33154 \t|\n",
    "merged.dmp": "12\t|\t74109\t|\n30\t|\t29\t|\n",
    "delnodes.dmp": "3421\t|\n3422\t|\n",
}


@pytest.mark.parametrize("what", NAMED)
def test_a_file_that_is_not_read_is_called_by_its_name(what):
    with pytest.raises(ParseError, match=f"this is {what}.*(makes|takes|give nodes.dmp)"):
        recognize(io.StringIO(NAMED[what]))


def test_the_lineages_in_a_profile_of_cami_are_taken_out_as_printed(tmp_path):
    head = "# by a profiler\n@SampleID:s\n@Ranks:superkingdom|phylum\n\n@@TAXID\tRANK\tTAXPATH\tTAXPATHSN\tPERCENTAGE\n"
    rows = [
        "2\tsuperkingdom\t2\tBacteria\t9",
        "9\tphylum\t2|9\tBacteria|Firmicutes\t4",
        "8\tphylum\t2|8\tBacteria|Proteo\t5",
    ]
    (tmp_path / "s.profile").write_text(head + "\n".join(rows) + "\n")
    with pytest.raises(ParseError, match="this is a profile of CAMI; '.*' takes the lineages out") as info:
        recognize(tmp_path / "s.profile")
    command = str(info.value).split("'")[1].replace("FILE", "s.profile")
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    assert list(read_hierarchy(tmp_path / "s.profile.txt").leaves) == ["Firmicutes", "Proteo"]


def test_nodes_and_names_are_not_mistaken():
    nodes = "1\t|\t1\t|\tno rank\t|\t\t|\t8\t|\t0\t|\t1\t|\t0\t|\t0\t|\t0\t|\t0\t|\t0\t|\t\t|\n"
    nodes += nodes.replace("1\t|\t1\t|", "2\t|\t1\t|", 1) + nodes.replace("1\t|\t1\t|", "3\t|\t1\t|", 1)
    assert recognize(io.StringIO(nodes)) == "taxdump"
    assert sorted(map(str, read_hierarchy(io.StringIO(nodes), labels="id").leaves)) == ["2", "3"]
    assert recognize(io.StringIO("1\t|\troot; all\t|\t\t|\tscientific name\t|\n")) == "taxdump"
