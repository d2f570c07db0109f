"""The hints of commands are followed as they are printed."""

import re
import shlex

from click.testing import CliRunner

from tripletree.cli import main


def run(command, **options):
    return CliRunner().invoke(main, shlex.split(command.removeprefix("tripletree ")), **options)


def test_hints__names_written_otherwise(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "oaks.nwk").write_text("(('Quercus robur','Quercus rubra')Quercus,('Acer rubrum','Acer alba')Acer);")
    rows = [("Q. robur", 1), ("Q. rubra", 2), ("A. rubrum", 8), ("A. alba", 9)]
    (tmp_path / "my oaks.csv").write_text("name,x\n" + "".join(f"{x},{y}\n" for x, y in rows))
    wanted = run("tripletree cluster 'my oaks.csv' --hierarchy oaks.nwk -k 2 --method divisive")
    assert wanted.exit_code
    (first,) = re.findall(r"'(tripletree match .* -o names.csv)'", wanted.output)
    shown = run(first)
    assert shown.exit_code == 0, shown.output
    table = (tmp_path / "names.csv").read_text().splitlines()
    right = {
        "Q. robur": "Quercus robur",
        "Q. rubra": "Quercus rubra",
        "A. rubrum": "Acer rubrum",
        "A. alba": "Acer alba",
    }
    fixed = [table[0]] + [",".join([x.split(",")[0], right[x.split(",")[0]], *x.split(",")[2:]]) for x in table[1:]]
    (tmp_path / "names.csv").write_text("\n".join(fixed) + "\n")
    (second,) = re.findall(r"then '(tripletree match .*)'", shown.output)
    done = run(second)
    assert done.exit_code == 0, done.output
    done = run("tripletree cluster 'my oaks.csv' --hierarchy matched.nwk -k 2 --method divisive")
    assert done.exit_code == 0, done.output
