"""The table of bench_rivals.py in Markdown: python benchmarks/rivals_table.py rivals.csv."""

import csv
import sys


def main(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sets = list(dict.fromkeys(row["data"] for row in rows))
    print("| | " + " | ".join(sets) + " |\n|---|" + "---|" * len(sets))
    for method in dict.fromkeys(row["method"] for row in rows):
        cells = []
        for name in sets:
            row = next(x for x in rows if (x["data"], x["method"]) == (name, method))
            failed = int(row["failed"])
            score = f"{float(row['F']):.3f}".lstrip("0") if row["F"] else ""
            broken = float(row["broken"] or 0)
            note = f", {failed} of 5 failed" if failed and score else "failed" if failed else ""
            cells.append(
                score
                + note
                + (f" ({broken:.0f})" if broken >= 0.5 and "asks" not in method and "Active" not in method else "")
            )
        print(f"| {method} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1])
