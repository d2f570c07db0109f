"""What the columns of DATA and of a file of classes are taken for, and the line that tells it: one table of cases."""

import re
import shlex
import statistics

import pytest

V = ["1.5", "1.7", "1.2", "1.1", "9.1", "9.4", "9.9", "9.2"]
W = ["3.1", "3.3", "3.2", "3.6", "7.1", "7.7", "7.3", "7.4"]
NAMED = [f"t{k}" for k in range(8)]
TWICE = [str(700 + k // 2) for k in range(8)]
FAR = [str(13_000 + 4_000 * (k % 2)) for k in range(8)]


def table(**columns):
    header = ",".join(columns).replace("_0", " 0")
    return header + "\n" + "".join(",".join(x) + "\n" for x in zip(*columns.values(), strict=True))


DOUBTFUL = [
    ({"mouse_id": TWICE, "v": V, "w": W}, "'mouse_id', called an id, is a feature: --drop mouse_id"),
    ({"animal": NAMED, "litterID": FAR, "v": V, "w": W}, "'litterID', called an id, is a feature: --drop litterID"),
    ({"patient": list("12341234"), "v": V, "w": W}, "'patient', called an id, is a feature: --drop patient"),
    ({"bird": NAMED, "nest_id": TWICE, "ring_nr": FAR, "v": V}, "are features: --drop nest_id --drop ring_nr"),
    ({"order_no": [str(k) for k in range(501, 509)], "client_id": FAR, "v": V}, "1 row; 'client_id'"),
    ({"code_x": [f"8100{k}{k}5" for k in range(8)], "v": V}, "of 7 digits, as ids are, is a feature: --index-column"),
    (
        {"site": NAMED, "visited": [f"2023{k}17" for k in ("01", "11", "03", "12") * 2], "v": V},
        "holds dates, is a feature",
    ),
    (
        {"bird": NAMED, "v": V, "kind": list("12312312")},
        "'kind', called a class, is a feature: --classes kind or --drop",
    ),
    (
        {"Person": list("12345678"), "v": V, "w": W},
        "'Person', which counts the rows, is a feature: --index-column Person or --drop Person",
    ),
    ({"Zeile": list("01234567"), "v": V}, "'Zeile', which counts the rows, is a feature: --index-column Zeile or"),
    ({"a": V, "b": W, "y": list("01010101")}, "'y', called a class, is a feature: --classes y or --drop y"),
]


@pytest.mark.parametrize(("columns", "told"), DOUBTFUL)
def test_cluster__a_column_that_is_hardly_a_feature_is_told_in_one_line(run, tmp_path, columns, told):
    (tmp_path / "d.csv").write_text(table(**columns))
    err = run("cluster", "d.csv", "-k", 2).stderr
    line = next(x for x in err.splitlines() if x.startswith("d.csv: read 8 rows"))
    assert told.removeprefix("1 row; ") in line
    cure = re.search(r"(--drop \S+(?: --drop \S+)*)$", line)
    mended = run("cluster", "d.csv", "-k", 2, *shlex.split(cure[1]))
    assert "is a feature" not in mended.stderr
    assert "are features" not in mended.stderr
    assert [x[-1] for x in mended.stdout.split()[1:]] == list("00001111")


@pytest.mark.parametrize(
    "columns",
    [
        {"bird": NAMED, "v": V, "w": W},
        {"bird": NAMED, "leaf_number": ["5", "7", "5", "9"] * 2, "v": V},
        {"bird": NAMED, "smoker": list("01010101"), "case": list("01010101"), "v": V},
        {"bird": NAMED, "x": V, "y": list("01010101")},
        {"bird": NAMED, "people": ["120500", "98400", "230100", "1500300"] * 2, "v": V},
        {"bird": NAMED, "salary": ["410000", "380000", "520000", "610000"] * 2, "v": V},
        {"age": ["21", "35", "44", "21", "38", "52", "61", "30"], "v": V},
        {"bird": NAMED, "index": ["3", "4", "3", "5"] * 2, "v": V},
        {"bird": NAMED, "grade": ["1", "3", "2", "2"] * 2, "v": V},
        {"sample": [*NAMED[:7], "Totalum"], "v": V, "w": W},
        {"day": list("12345678"), "v": V},
        {"dose": list("12345678"), "v": V},
        {"v": V, "w": list("12345678")},
        {"legs": list("13245678"), "v": V},
    ],
)
def test_cluster__a_plain_table_has_no_doubtful_columns(run, tmp_path, columns):
    (tmp_path / "d.csv").write_text(table(**columns))
    err = run("cluster", "d.csv", "-k", 2).stderr
    (line,) = (x for x in err.splitlines() if x.startswith("d.csv: read 8 rows"))
    names = [x for x in columns if x not in ("bird", "sample")]
    assert line.endswith(f"{len(names)} features ({', '.join(map(repr, names))})")
    assert "is a sample" not in err


def test_cluster__a_row_that_is_a_figure_of_the_others_is_left_out(run, tmp_path):
    plain = {"town": NAMED, "v": V, "w": W}
    (tmp_path / "d.csv").write_text(table(**plain))
    want = run("cluster", "d.csv", "-k", 2).stdout
    v, w = ([float(x) for x in y] for y in (V, W))
    for called, what, figure in (
        ("Summe:", "the sum", sum),
        ("mean", "the mean", lambda x: sum(x) / len(x)),
        ("SD", "the standard deviation", statistics.stdev),
        ("max", "the most", max),
    ):
        cells = [f"{figure(x):.2f}" for x in (v, w)]
        (tmp_path / "d.csv").write_text(table(town=[*NAMED, called], v=[*V, cells[0]], w=[*W, cells[1]]))
        done = run("cluster", "d.csv", "-k", 2)
        assert done.stdout == want
        assert f"'{called}' left out, {what} of the others" in done.stderr


@pytest.mark.parametrize("last", ["Total", "GRAND TOTAL", "Summe:", "mean", "Moyenne"])
def test_cluster__a_row_that_may_sum_up_is_told(run, tmp_path, last):
    (tmp_path / "d.csv").write_text(table(town=[*NAMED, last], v=[*V, "43.9"], w=[*W, "42.7"]))
    told = f"d.csv: '{last}' (line 10) is a sample; leave out the row if it sums up the others"
    assert told in run("cluster", "d.csv", "-k", 2).stderr


def test_commands__tell_the_same_line(run, tmp_path):
    (tmp_path / "d.csv").write_text(table(bird=NAMED, nest_id=FAR, v=V, kind=list("xxyyzzxx")))
    (tmp_path / "known.txt").write_text("t0 t1 | t4\nt4 t5 | t0\n")
    (tmp_path / "a.jsonl").write_text('{"items": ["t0", "t1", "t4"], "answer": "odd", "odd": "t4"}\n')
    line = "d.csv: read 8 rows: names in 'bird'; 2 features ('nest_id', 'v'); "
    line += "'nest_id', called an id, is a feature: --drop nest_id"
    for command in (
        "cluster d.csv -k 2 --drop kind --triplets known.txt",
        "cluster d.csv -k 2 --classes kind",
        "report d.csv --classes kind --resamples 0",
        "describe known.txt --data d.csv --drop kind",
        "ask d.csv --drop kind --answers a.jsonl --export found",
    ):
        assert line in run(*command.split()).stderr, command


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("bird,ring,sex\nt0,A901,f\nt1,A902,f\nt4,A955,m\nt5,A957,m\n", "labels in 'bird', classes in 'sex'"),
        (
            "bird,seen,sex\nt0,2024-05-01,f\nt1,2024-05-02,f\nt4,2024-05-01,m\nt5,2024-05-02,m\nt5,2024-05-02,m\n",
            "labels in 'bird', classes in 'sex'",
        ),
        ("nr,bird,sex\n1,t0,f\n2,t1,f\n3,t4,m\n4,t5,m\n", "labels in 'bird', classes in 'sex'"),
        ("ring_id,bird,sex\n11,t0,f\n15,t1,f\n13,t4,m\n14,t5,m\n", "labels in 'bird', classes in 'sex'"),
        ("bird,sex,mass\nt0,f,1.5\nt1,f,1.5\nt4,m,2.5\nt5,m,2.75\n", "labels in 'bird', classes in 'sex'"),
        ("bird,year,sex\nt0,2001,f\nt1,2002,f\nt4,2001,m\nt5,2002,m\n", "labels in 'bird', classes in 'sex'"),
        ("bird,confidence,sex\nt0,3,f\nt1,4,f\nt4,4,m\nt5,3,m\n", "labels in 'bird', classes in 'sex'"),
        ("bird,Plate,sex\nt0,1,f\nt1,2,f\nt4,1,m\nt5,2,m\n", "labels in 'bird', classes in 'sex'"),
        ("bird,note,sex\nt0,,f\nt1,torn,f\nt4,,m\nt5,old,m\n", "labels in 'bird', classes in 'sex'"),
        ("bird,sex\nt0,f\nt1,f\nt4,m\nt5,m\n", None),
        ("t0,f\nt1,f\nt4,m\nt5,m\n", "no header; labels in column 0, classes in column 1"),
        ("f,t0\nf,t1\nm,t4\nm,t5\n", "no header; labels in column 1, classes in column 0"),
        ("t0;1\nt1;1\nt4;2\nt5;2\n", "no header; labels in column 0, classes in column 1"),
    ],
)
def test_cluster__classes_are_found_among_columns(run, tmp_path, text, told):
    (tmp_path / "d.csv").write_text(table(bird=NAMED, v=V, w=W))
    (tmp_path / "c.csv").write_text(text)
    done = run("cluster", "d.csv", "--classes", "c.csv", "--cut", "constraints")
    if told is None:
        assert done.stderr == "d.csv: read 8 rows: names in 'bird'; 2 features ('v', 'w')\n"
    else:
        assert f"c.csv: {told} (--class-columns)" in done.stderr
    assert len(done.stdout.split()) == 9
    (tmp_path / "right.csv").write_text("label,class\nt0,f\nt1,f\nt4,m\nt5,m\n")
    assert done.stdout == run("cluster", "d.csv", "--classes", "right.csv", "--cut", "constraints").stdout


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("bird,place,diet\nt0,a,seed\nt1,b,seed\nt4,a,fish\nt5,b,fish\n", ["bird,place", "bird,diet"]),
        ("t0,a,seed\nt1,b,seed\nt4,a,fish\nt5,b,fish\n", ["0,1", "0,2"]),
        ("bird,mass,wing\nt0,1.5,7.1\nt1,1.6,7.2\nt4,9.5,8.1\nt5,9.6,8.2\n", ["bird,mass", "bird,wing"]),
    ],
)
def test_cluster__classes_in_several_columns_are_asked_with_commands_that_work(run, tmp_path, text, ways):
    (tmp_path / "d.csv").write_text(table(bird=NAMED, v=V, w=W))
    (tmp_path / "c.csv").write_text(text)
    told = run("cluster", "d.csv", "--classes", "c.csv", "-k", 2, status=2).stderr
    commands = [shlex.split(x.split(":", 1)[1])[1:] for x in told.splitlines()[1:]]
    assert [x[-1] for x in commands] == ways
    for command in commands:
        run(*command)


BODY = "bird{0}mass{0}wing\n" + "".join(f"t{k}{{0}}{V[k]}{{0}}{W[k]}\n" for k in range(8))


@pytest.mark.parametrize(
    ("above", "mark", "title"),
    [
        ("Birds of the lake,,\n2024,,\n", ",", "Birds of the lake"),
        ("Birds of the lake\n\n", "\t", "Birds of the lake"),
        ("Birds, 2nd part\n", ";", "Birds, 2nd part"),
        ('"Birds, caught"\n', ",", "Birds, caught"),
    ],
)
def test_cluster__titles_above_the_header_are_passed_over(run, tmp_path, above, mark, title):
    (tmp_path / "d.csv").write_text(above + BODY.format(mark))
    done = run("cluster", "d.csv", "-k", 2)
    assert f"d.csv: read 8 rows below the title '{title}': names in 'bird'; 2 features" in done.stderr
    assert [x[-1] for x in done.stdout.split()[1:]] == list("00001111")
    (tmp_path / "d.csv").write_text(above + BODY.format(mark) + mark.join(["t1", "5", "6"]))
    line = above.count("\n") + 3
    assert f"'t1' in lines {line}, {line + 7}" in run("cluster", "d.csv", "-k", 2, status=2).stderr


@pytest.mark.parametrize(
    "text",
    [
        "mass\n1.5\n1.7\n9\n",
        "mass wing\na 1.5 2\nb 1.7 2\nc 9 8\n",
        "bird\tmass\na\t1\nb\t2\nc\t9\n",
        "mass\na\t1\nb\t2\nc\t9\n",
        "sep=;\nbird;mass\na;1\nb;2\nc;9\n",
        "# birds\nbird,mass\na,1\nb,2\nc,9\n",
    ],
)
def test_cluster__tables_without_a_title(run, text):
    assert "title" not in run("cluster", "-", "-k", 2, text=text, status=2 if text[4:6] == "\na" else 0).stderr


def test_cluster__class_0_of_half_the_samples_is_told(run, tmp_path):
    (tmp_path / "d.csv").write_text(table(bird=NAMED, v=V, w=W, kind=list("11002200")))
    told = "'0' (4 of 8) is taken for a class; if it marks samples without one: --missing-class 0"
    assert told in run("cluster", "d.csv", "-k", 2, "--classes", "kind").stderr
    done = run("cluster", "d.csv", "-k", 2, "--classes", "kind", "--missing-class", "0")
    assert "taken for a class" not in done.stderr
    for codes in ("11002201", "01010101", "00001111"):
        (tmp_path / "d.csv").write_text(table(bird=NAMED, v=V, w=W, kind=list(codes)))
        assert "taken for a class" not in run("cluster", "d.csv", "-k", 2, "--classes", "kind").stderr


def test_commands__tell_once_of_99_among_classes_and_of_classes_that_are_measures(run, tmp_path):
    (tmp_path / "d.csv").write_text(table(bird=NAMED, v=V, w=W, kind=["1", "1", "99", "99", "2", "2", "99", "99"]))
    for command in ("cluster d.csv -k 2 --classes kind", "report d.csv --resamples 0 --classes kind"):
        told = (
            "'99' (4 of 8) is taken for a class, beside '1', '2'; if it marks samples without one: --missing-class 99"
        )
        assert run(*command.split()).stderr.count("is taken for a class") == 1
        assert told in run(*command.split()).stderr
        assert "is taken for" not in run(*command.split(), "--missing-class", "99").stderr
    (tmp_path / "d.csv").write_text(table(bird=NAMED, v=V, mass=W))
    for command in ("cluster d.csv -k 2 --classes mass", "report d.csv --resamples 0 --classes mass"):
        told = run(*command.split()).stderr
        assert "8 different numbers for 8 samples, with decimals, are taken for classes" in told
        assert "classes has 8 labels of 8 classes, so nothing follows" in told


def test_cluster__titles_above_decimal_commas_and_groups_of_columns(run):
    text = "Nester 2024;;\n;;\nvogel;masse;höhe\na;1,5;2\nb;1,7;2,5\nc;9,5;8\n"
    done = run("cluster", "-", "-k", 2, "--decimal", ",", text=text)
    assert "read 3 rows below the title 'Nester 2024': names in 'vogel'; 2 features" in done.stderr
    groups = "size,,place,\nbird,mass,x,y\na,1,2,3\nb,1,3,3\nc,9,9,9\n"
    told = run("cluster", "-", "-k", 2, text=groups, status=2).stderr
    assert "if line 2 is the header, delete what stands above it" in told
    run("cluster", "-", "-k", 2, text=groups.partition("\n")[2])


PENGUINS = table(species=["Adelie"] * 3 + ["Gentoo"] * 3 + ["Chinstrap"] * 2, bill_mm=V, flipper_mm=W)


def test_cluster__a_first_column_of_classes_names_no_rows(run):
    """Its classes were called repeated labels, also with --classes, and no printed command led on."""
    with_classes = run("cluster", "-", "-k", "3", "--classes", "species", text=PENGUINS)
    assert [x.split(",")[0] for x in with_classes.stdout.splitlines()] == ["label", *map(str, range(8))]
    found = [x.split(",")[1] for x in with_classes.stdout.splitlines()[1:]]
    assert len(set(found[:3])) == len(set(found[3:6])) == len(set(found[6:])) == 1
    told = run("cluster", "-", "-k", "3", text=PENGUINS, status=2).stderr
    assert "not numeric: 'species' ('Adelie' in line 2); leave them out with --drop species, name" in told
    run("cluster", "-", "-k", "3", "--drop", "species", text=PENGUINS)


def test_cluster__a_first_column_that_repeats_is_one_of_labels_if_knowledge_is_about_them(run, tmp_path):
    (tmp_path / "h.nwk").write_text("((Adelie,Chinstrap),Gentoo);")
    told = run("cluster", "-", "-k", "3", "--hierarchy", tmp_path / "h.nwk", text=PENGUINS, status=2).stderr
    assert "3 leaf labels occur more than once" in told


def test_cluster__one_that_seldom_repeats_is_one_of_labels(run):
    told = run("cluster", "-", text=table(animal=[*NAMED[:-1], "t0"], v=V), status=2).stderr
    assert "1 leaf label occurs more than once in <standard input> (column 'animal';" in told


def test_cluster__all_columns_of_words_are_left_out_as_printed(run):
    text = table(animal=NAMED, v=V, sex=list("mfmfmfmf"), island=list("aabbccdd"))
    told = run("cluster", "-", text=text, status=2).stderr
    assert "leave them out with --drop sex --drop island, name" in told
    run("cluster", "-", "--drop", "sex", "--drop", "island", text=text)
    assert "--classes NAME" not in run("cluster", "-", "--classes", "sex", text=text, status=2).stderr


#: A column beside two measures: its name, its cells, and what is told of it (None: nothing).
TOLD = [
    ("obs", range(1, 9), "which counts the rows"),
    ("counter", range(8), "which counts the rows"),
    ("Jahr", [1990, 2001, 1990, 1995, 1998, 2003, 2010, 1997], "called a time"),
    ("telefon", [4412, 5521, 7731, 4412, 6651, 8123, 7756, 1111], "called an id"),
    ("fips", [1001, 56045, 8031, 1001, 22071, 36061, 6037, 17031], "called an id"),
    ("latitude", [48.1, 47.2, 48.9, 49.1, 50.2, 51.3, 48.7, 52.5], "called a place"),
    ("fold", [0, 1, 2, 3, 0, 1, 2, 3], "called a class"),
    ("sex", [1, 2, 2, 1, 1, 2, 1, 2], "called a class"),
    ("v", [7] * 8, "the same in all rows"),
    ("depth", range(1, 9), None),
    ("weight", [3, 4, 5, 3, 2, 1, 7, 8], None),
]


@pytest.mark.parametrize(("name", "cells", "told"), TOLD, ids=lambda x: x if isinstance(x, str) else "")
def test_cluster__what_a_column_of_numbers_may_be_is_told_with_its_option(run, tmp_path, name, cells, told):
    path = tmp_path / "data.csv"
    rows = [f"s{k},{k * 1.5 + k % 3},{(k * k) % 7 + 0.5},{x}" for k, x in enumerate(cells)]
    path.write_text("\n".join([f"sample,w,h,{name}", *rows]))
    result = run("cluster", path, "-k", 2)
    assert result.exit_code == 0
    reading = result.stderr.splitlines()[0]
    assert (f"{name!r}, {told}, is a feature" in reading and f"--drop {name}" in reading) if told else name in reading
    assert told or "is a feature" not in reading
    again = run("cluster", path, "-k", 2, "--drop", name)
    assert again.exit_code == 0
    assert "is a feature" not in again.stderr
