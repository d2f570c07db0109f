"""Cells and columns of DATA that are not features: codes for gaps, ids, classes. Tables as R and Excel write them."""

import re
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner

from tripletree.cli import main
from tripletree.io.source import csv_text
from tripletree.tables.cells import with_point
from tripletree.tables.features import as_numbers

VALUES = [1.5, 1.7, 1.2, 9.1, 9.4, 9.9]


def table(cells, name="v", other=()):
    rows = [f"s{k},{x},{k * 2}" for k, x in enumerate(cells)]
    return f"sample,{name},w\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("code", ["-99", "-999", "9999"])
def test_cluster__a_code_far_outside_is_told_with_a_cure_that_works(run, code):
    text = table([*VALUES, code])
    done = run("cluster", "-", "-k", "2", text=text)
    told = f"{code} in column 'v' (1 of 7) far outside the rest, kept; if it marks a gap: --missing-values {code} "
    assert told in done.stderr
    more = done.stderr.partition("gap: ")[2].splitlines()[0].split()
    mended = run("cluster", "-", "-k", "2", *more, text=text)
    assert "far outside" not in mended.stderr
    assert mended.stdout.count("\n") == 8
    assert "far outside" not in run("cluster", "-", "-k", "2", text=table([*range(-120, -80, 10), -99])).stderr


@pytest.mark.parametrize("odd", ["<0.1", "n.d.", "k.A.", "#N/A"])
def test_cluster__text_in_a_column_of_numbers_is_named_and_gower_not_offered(run, odd):
    text = table([*VALUES, odd])
    told = run("cluster", "-", "-k", "2", text=text, status=2).stderr
    assert "--missing-values " in told
    assert odd in told.partition("--missing-values")[2]
    assert "gower" not in told
    again = ("--missing-values", odd, "--metric", "gower", "--linkage", "average")
    assert run("cluster", "-", "-k", "2", *again, text=text).stdout.count("\n") == 8
    told = run("cluster", "-", "-k", "2", *again[2:], text=text).stderr
    assert f"column 'v' is taken for words, because of '{odd}'" in told


def test_cluster__marks_between_thousands_are_told(run):
    text = "town\tpeople\nA\t1,200\nB\t950,000\nC\t20,000\n"
    told = run("cluster", "-", "-k", "2", text=text, status=2).stderr
    assert "1200: tripletree cluster - --clusters 2 --decimal ." in told
    assert "gower" not in told


@pytest.mark.parametrize(
    ("cells", "more"),
    [
        (("1,200,000", "950,000", "20,000"), ()),
        (("1,200.50", "950", "20,000"), ()),
        (("1'200'000", "950'000", "20'000"), ()),
        (("1 200 000", "950 000", "20 000"), ()),
        (("1.200.000", "950.000", "20.000"), ("--decimal", ",")),
        (("1.200,50", "950,5", "20.000"), ("--decimal", ",")),
    ],
)
def test_cluster__sure_marks_between_thousands_are_read(run, cells, more):
    text = "town\tpeople\n" + "".join(f"{x}\t{y}\n" for x, y in zip("ABC", cells, strict=True))
    done = run("cluster", "-", "-k", "2", *more, text=text)
    assert "between thousands" in done.stderr
    plain = [x.replace(".", "").replace(",", ".") if more else re.sub("[,' ]", "", x) for x in cells]
    same = "town\tpeople\n" + "".join(f"{x}\t{y}\n" for x, y in zip("ABC", plain, strict=True))
    assert done.stdout == run("cluster", "-", "-k", "2", text=same).stdout


def test_cluster__points_between_semicolons_are_asked_about(run, tmp_path):
    (tmp_path / "d.csv").write_text("Ort;Leute\nA;1.200\nB;950.125\nC;20.250\nD;1.100\n")
    told = run("cluster", "d.csv", "-k", 2, status=2).stderr
    assert "what is '1.200' in column 'Leute'?" in told
    ways = [x.split(" tripletree ")[1].split() for x in told.splitlines() if " tripletree " in x]
    assert [x[-1] for x in ways] == [",", "."]
    assert all(run(*way).stdout.count("\n") == 5 for way in ways)
    (tmp_path / "d.csv").write_text("Ort;Leute;km\nA;1.200;3.5\nB;950.125;4\nC;20.250;1.25\nD;1.100;2\n")
    assert "what is" not in run("cluster", "d.csv", "-k", 2).stderr


def test_cluster__units_below_the_header_are_no_sample(run):
    text = "site,depth,cover\n,m,%\nA,1,20\nB,2,25\nC,9,80\n"
    done = run("cluster", "-", "-k", 2, text=text)
    assert "units in line 2 (m, %)" in done.stderr
    assert done.stdout.split() == ["label,cluster", "A,0", "B,0", "C,1"]


def test_cluster__notes_below_a_table_are_left_out_and_told(run):
    text = "land,v\nA,1\nB,2\nC,9\n\nSource: the office\n"
    done = run("cluster", "-", "-k", 2, text=text)
    assert "left out below the table: 'Source: the office'" in done.stderr
    assert done.stdout.split() == ["label,cluster", "A,0", "B,0", "C,1"]


def test_cluster__true_and_false_are_numbers(run):
    text = "beast,fur,legs\nA,TRUE,4\nB,TRUE,4\nC,FALSE,2\n"
    done = run("cluster", "-", "-k", 2, text=text)
    assert "'fur' with true and false as 1 and 0" in done.stderr
    assert done.stdout.split() == ["label,cluster", "A,0", "B,0", "C,1"]


def test_cluster__a_name_with_brackets_is_dropped_as_printed(run):
    told = run("cluster", "-", "-k", "2", text=table("abcdef", "Size (cm)"), status=2).stderr
    assert "--drop 'Size (cm)'," in told


@pytest.mark.parametrize(("name", "is_id"), [("SNR", False), ("mean_snr", False), ("Probennr", True), ("lfd_nr", True)])
def test_columns__a_ratio_of_noise_is_no_number_of_a_sample(run, tmp_path, name, is_id):
    (tmp_path / "d.csv").write_text(f"{name},x\n12,7.1\n45,7.2\n7,4.5\n11,4.4\n")
    names = [line.split(",")[0] for line in run("cluster", "d.csv", "-k", "2").stdout.split()[1:]]
    assert names == (["12", "45", "7", "11"] if is_id else ["0", "1", "2", "3"])


@pytest.mark.parametrize("name", ["Unnamed: 0", "Row", "Nr.", "...1", "Probennr", "PLZ"])
def test_cluster__ids_beside_the_index_column_are_left_out(run, name):
    text = f"{name},sample,v\n" + "".join(f"{k},s{k},{x}\n" for k, x in enumerate(VALUES, 1))
    done = run("cluster", "-", "-k", "2", "--index-column", "sample", text=text)
    assert f"not used: '{name}', called an id" in done.stderr
    assert done.stdout.split()[1:] == [f"s{k},{int(k > 3)}" for k in range(1, 7)]


def test_cluster__a_column_of_numbers_called_class_is_told(run):
    text = "sample,v,class\n" + "".join(f"s{k},{x},{k % 2}\n" for k, x in enumerate(VALUES))
    told = run("cluster", "-", "-k", "2", text=text).stderr
    assert "'class', called a class, is a feature: --classes class or --drop class" in told
    assert "taken for" not in run("cluster", "-", "-k", "2", "--drop", "class", text=text).stderr


@pytest.mark.parametrize(
    "text",
    [
        '"v" "w"\n"s1" 1 2\n"s2" 1.1 2\n"s3" 9 9\n',
        "v w\ns1 1 2\ns2 1.1 2\ns3 9 9\n",
        "v\tw\ns1\t1\t2\ns2\t1.1\t2\ns3\t9\t9\n",
        "sep=;\nid;v;w\ns1;1;2\ns2;1.1;2\ns3;9;9\n",
    ],
)
def test_cluster__tables_of_r_and_of_excel(run, text):
    assert run("cluster", "-", "-k", "2", text=text).stdout.split() == ["label,cluster", "s1,0", "s2,0", "s3,1"]


def test_report__a_square_table_is_no_knowledge(run, tmp_path):
    (tmp_path / "d.csv").write_text(",A,B,C\nA,0,1,5\nB,1,0,5\nC,5,5,0\n")
    (tmp_path / "x.csv").write_text("sample,v\nA,1\nB,2\nC,9\n")
    told = run("report", "x.csv", "--know", "d.csv", "-o", "r.html", "--resamples", "0", status=2).stderr
    assert "is a square table, of distances perhaps, and no knowledge" in told
    assert "--classes" not in told


@pytest.mark.parametrize("word", ["unbekannt", "inconnu", "k.A.", "desconocido"])
def test_cluster__unknown_in_other_languages_is_no_class(run, word):
    classes = ["A", "a", "A", "B", word, "B"]
    text = "sample,v,kind\n" + "".join(f"s{k},{x},{y}\n" for k, (x, y) in enumerate(zip(VALUES, classes, strict=True)))
    told = run("cluster", "-", "--classes", "kind", "--method", "divisive", text=text).stderr
    assert f"'{word}' (1 of 6) is taken for no class" in told
    assert "'A' and 'a' are two classes" in told or "'a' and 'A' are two classes" in told


@pytest.mark.parametrize("more", [(), ("--metric", "gower", "--linkage", "average")])
def test_cells__numbers_with_a_unit_are_numbers_and_told(tmp_path, more):
    rows = ["s1,12 mg/L,3", "s2,14 mg/L,4", "s3,80mg/L,50", "s4,85 mg/L,55"]
    plain = [x.replace(" mg/L", "").replace("mg/L", "") for x in rows]
    found = []
    for name, lines in (("u.csv", rows), ("p.csv", plain)):
        (tmp_path / name).write_text("\n".join(["sample,conc,cm", *lines, ""]))
        result = CliRunner().invoke(main, ["cluster", str(tmp_path / name), "-k", "2", *more])
        assert result.exit_code == 0, result.output
        found.append(result)
    assert found[0].stdout == found[1].stdout
    assert "'conc' with a unit (mg/L)" in found[0].stderr
    assert "unit" not in found[1].stderr


def test_cells__clusters_of_a_deduplication_are_classes(tmp_path):
    (tmp_path / "d.csv").write_text("id,x\na1,1\na2,1.2\nb1,5\nc1,9\nc2,9.1\n")
    (tmp_path / "c.csv").write_text(
        "Cluster ID,confidence_score,id,name\n0,.98,a1,Anna\n0,.98,a2,Ana\n1,.7,b1,Ben\n2,.9,c1,Cleo\n2,.9,c2,Kleo\n"
    )
    more = ["--classes", str(tmp_path / "c.csv"), "-k", "2"]
    result = CliRunner().invoke(main, ["cluster", str(tmp_path / "d.csv"), *more])
    assert result.exit_code == 0, result.output
    assert "labels in 'id', classes in 'Cluster ID'" in result.stderr


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.234.100,00 €", "2.500.000,50 €", "900,25 €", "12.000,00 €"], [1234100, 2500000.5, 900.25, 12000]),
        (["1.642,50 EUR", "10.642,75 EUR", "642,00 EUR", "2.000,00 EUR"], [1642.5, 10642.75, 642, 2000]),
        (["€1.234.100,00", "€2.500.000,50", "€12.000,00", "€3.000,00"], [1234100, 2500000.5, 12000, 3000]),
        (
            ["1,863,993.00 USD", "2,000,000.50 USD", "12,000.00 USD", "7,000.25 USD"],
            [1863993, 2000000.5, 12000, 7000.25],
        ),
        (["$1,863,993.00", "$2,000,000.50", "$12,000.00", "$7,000.25"], [1863993, 2000000.5, 12000, 7000.25]),
        (["CHF 1'180.50", "CHF 2'000.25", "CHF 30'000.00", "CHF 4'000.75"], [1180.5, 2000.25, 30000, 4000.75]),
        (["1 180,50 kr", "2 000,25 kr", "30 000,00 kr", "4 000,75 kr"], [1180.5, 2000.25, 30000, 4000.75]),
        (["1'180.50", "2'000.25", "30'000.00", "4'000.75"], [1180.5, 2000.25, 30000, 4000.75]),
        (["1 180.50", "2 000.25", "30 000.00", "4 000.75"], [1180.5, 2000.25, 30000, 4000.75]),
        (["12 mg", "14 mg", "15.5 mg", "9 mg"], [12, 14, 15.5, 9]),
    ],
)
def test_numbers__with_units_and_marks_between_thousands(cells, numbers):
    found = as_numbers(cells)
    assert list(map(float, map(with_point, found.numbers))) == numbers
    assert as_numbers([*cells, "", "NA"]).numbers[-2:] == ["", "NA"]


@pytest.mark.parametrize(
    "cells", [["1,234 mg", "5,678 mg", "9,012 mg"], ["1.234 €", "2,5 €", "1,2,3 €"], ["a", "1.2.3"]]
)
def test_numbers__whose_marks_may_mean_two_things_stay_as_they_are(cells):
    found = as_numbers(cells)
    assert found is None or found.numbers == [x.split()[0] for x in cells]


def test_hint__decimal_commas_are_not_dropped(run, tmp_path):
    (tmp_path / "x.csv").write_text("id;a;b;town\n" + "".join(f"s{k};{k},5;{k * k},25;T{k % 3}\n" for k in range(6)))
    told = run("cluster", "x.csv", "-k", 2, status=2).stderr
    assert "--decimal , if decimals stand behind commas; or leave them out with --drop town," in told
    assert "s0" in run("cluster", "x.csv", "-k", 2, "--decimal", ",", "--drop", "town").stdout
    (tmp_path / "x.csv").write_text("id;a;b\n" + "".join(f"s{k};{k},5;{k * k},25\n" for k in range(6)))
    assert run("cluster", "x.csv", "-k", 2, status=2).stderr.endswith("--decimal , if decimals stand behind commas\n")


@pytest.mark.parametrize("seed", range(4))
def test_gower__words_that_make_up_the_distances_are_told(run, tmp_path, seed):
    rng = np.random.default_rng(seed)
    n = 30
    columns = {
        "id": [f"s{k}" for k in range(n)],
        "x": rng.normal(size=n).round(3).tolist(),
        "y": rng.normal(size=n).round(3).tolist(),
        "note": [f"text {k} of many" for k in range(n)],
        "kind": rng.choice(["a", "b"], n, p=[0.9, 0.1]).tolist(),
    }
    (tmp_path / "x.csv").write_text(csv_text([tuple(columns), *zip(*columns.values(), strict=True)]))
    run_it = ("cluster", "x.csv", "-k", 2, "--metric", "gower", "--linkage", "average")
    told = run(*run_it).stderr
    means = {}
    for name in ("x", "y", "note", "kind"):
        v = columns[name]
        span = max(v) - min(v) if name in "xy" else 1
        parts = [abs(a - b) / span if name in "xy" else float(a != b) for a, b in combinations(v, 2)]
        means[name] = sum(parts) / len(parts)
    share = means["note"] / sum(means.values())
    assert f"column 'note' (30 different texts in 30 rows) has {share:.0%} of the distances; if it is no" in told
    assert "feature: --drop note" in told
    assert "'kind' (" not in told
    assert "of the distances" not in run(*run_it, "--drop", "note").stderr
