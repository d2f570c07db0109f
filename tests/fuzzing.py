"""Random input for every reader and constructor: a value or an error of tripletree, nothing else (`make fuzz`).

Readers get sample files that were changed at random, constructors get arguments made up by hypothesis. A value that a
reader returns is also written, in every format: a whole file or none. Each target runs in a child process, so that a
crash or a hang inside compiled code is found, too. A failing input is saved in tests/corpus, which
tests/unit/test_corpus.py replays: mend the cause, keep the file.

    python tests/fuzzing.py --seconds 180 [--seed 7] [TARGET ...]
"""

import argparse
import ast
import contextlib
import dis
import gzip
import hashlib
import io
import mmap
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

from file_samples import SAMPLES
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import tripletree as tt
import tripletree.io as tio
from tripletree.ask import Design
from tripletree.core import Answer, AnswerSet
from tripletree.errors import TripletreeError

CORPUS = Path(__file__).parent / "corpus"
#: After so many seconds of computing on one input a target counts as hung.
PATIENCE = 20

# ---------------------------------------------------------------------- readers

TABLES = {
    "triplets": ["a b | c  # odd\n'a b' c | d\n", "a,b,c,weight\nx,y,z,2\ny,z,w,0.5\n", "0 1 2\n3 0 1\n"],
    "pairs": [
        "human chimp must\nhuman gorilla cannot\n",
        "a,b,link,weight\nx,y,must,2\ny,z,cannot,1\n",
        "0 2 1\n2 4 -1\n",
    ],
    "answers": [
        "a,b,c,odd\ncat,eel,dog,eel\n",
        "a,b,c,odd,who,when\ncat,eel,dog,2,anna,2026-01-01T00:00:00\ncat,eel,dog,,bob,\n",
        '{"tripletree": "answers", "version": 1}\n'
        '{"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}\n'
        '{"items": ["cat", "dog"], "answer": "alike", "when": "2026-01-01T00:00:00"}\n{"undo": true}\n',
    ],
    "comparisons": ["anchor,near,far\ncat,dog,eel\n", "0 1 2\n3 0 1\n"],
    "annotations": [
        "gene,go_id\nTP53,GO:0006915\nTP53,GO:0006281\nBAX,GO:0006915\n",
        "BAX\tGO:0006915\n",
        "!gaf-version: 2.2\nU\tP1\tTP53\tinvolved_in\tGO:0006915\tPMID:1\tIDA\t\tP\tp53\tx\tprotein\ttaxon:9606\t"
        "20200101\tU\t\t\n",
    ],
}
TREES = [text for texts in SAMPLES.values() for text in texts]
#: The reader, its options, and the texts to mutate (by default the samples of its format).
KNOWLEDGE = [
    tt.write_knowledge(tt.Knowledge.of(list("abcd"), **given))
    for given in (
        {"triplets": [("a", "b", "c")], "pairs": ([("a", "b")], [("c", "d")]), "classes": ["x", None, "y", "x"]},
        {"hierarchy": tt.Hierarchy.from_nested([["a", "b"], ["c", "d"]]), "comparisons": [("a", "b", "c")]},
    )
]
READERS = {
    "read_hierarchy": (tio.read_hierarchy, {}, TREES),
    "read_ontology": (tio.read_ontology, {}, TREES),
    "read_synonyms": (tio.read_synonyms, {}, SAMPLES["obo"] + SAMPLES["owl"] + SAMPLES["obograph"]),
    "recognize": (tio.recognize, {}, TREES + TABLES["triplets"]),
    "read_taxdump": (tio.read_taxdump, {"labels": "id"}, SAMPLES["taxdump"]),
    "read_knowledge": (tt.read_knowledge, {}, KNOWLEDGE),
    "read_triplet_batches": (lambda path: list(tio.read_triplet_batches(path, size=2)), {}, TABLES["triplets"]),
    "read_odd_one_out": (tio.read_odd_one_out, {}, TABLES["answers"]),
    **{f"read_{name}": (getattr(tio, f"read_{name}"), {}, texts) for name, texts in TABLES.items()},
    **{
        f"read_{name}": (getattr(tio, f"read_{name}"), {}, SAMPLES[name])
        for name in (
            *("newick", "nexus", "nexml", "phyloxml", "json", "dot", "obo", "owl", "obograph", "wordnet", "icd"),
            *("lineages", "edges", "codes", "linkage"),
        )
    },
    **{
        f"read_hierarchies.{name}": (tio.read_hierarchies, {"format": name}, SAMPLES[name])
        for name in ("newick", "nexus", "nexml", "phyloxml")
    },
    **{f"read_support.{name}": (tio.read_support, {"format": name}, SAMPLES[name]) for name in ("newick", "nexus")},
}
WRITERS = {
    tt.Knowledge: [(tt.write_knowledge, "known.json")],
    tt.Hierarchy: [(tio.write_hierarchy, f"tree{end}") for end in (".nwk", ".nex", ".json", ".csv", ".npz")],
    tt.TripletSet: [(tio.write_triplets, "triplets.txt"), (tio.write_triplets, "triplets.csv")],
    tt.PairwiseConstraints: [(tio.write_pairs, "pairs.txt"), (tio.write_pairs, "pairs.csv")],
    AnswerSet: [(tio.write_answers, "answers.jsonl")],
    tt.Ontology: [(tio.write_obo, "terms.obo")],
}
PIECES = [
    *(b"(", b")", b",", b";", b":", b"'", b'"', b"[", b"]", b"{", b"}", b"<", b">", b"&", b"|", b"\t", b"\n", b"\r"),
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", "\u2028".encode(), "é".encode(), b"\\u0000", b"\\ud800"),
    *(b"nan", b"inf", b"-1", b"0", b"1e999", b"-0.0", b"99999999999999999999", b"1_0", "٣".encode(), b"NA", b"None"),
    *(b"<!--", b"]]>", b"&#0;", b"#", b"//", b"/*", b"\\", b"''", b'""', b"true", b"null", b" ", b"  "),
]


def mutated(rng: random.Random, content: bytes, others: list[bytes]) -> bytes:
    """The content after one to four changes: a piece put in, taken out, repeated, moved, or of another file."""
    out = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        i, j = sorted(rng.randrange(len(out) + 1) for _ in range(2))
        j = min(j, i + rng.choice((1, 1, 4, 20, 200)))
        match rng.randrange(7):
            case 0:
                del out[i:j]
            case 1:
                out[i:i] = rng.choice(PIECES)
            case 2:
                out[i:j] = rng.choice(PIECES)
            case 3:
                out[i:i] = out[i:j] * rng.choice((1, 2, 30))
            case 4 if i < len(out):
                out[i] ^= 1 << rng.randrange(8)
            case 5:
                k = rng.randrange(len(out) + 1)
                out[k:k] = out[i:j]
            case 6:
                other = rng.choice(others)
                k = rng.randrange(len(other) + 1)
                out[i:j] = other[k : k + rng.choice((5, 50))]
    if rng.random() < 0.03:
        packed = bytearray(gzip.compress(bytes(out), mtime=0))
        packed[rng.randrange(len(packed))] ^= rng.choice((0, 1, 128))
        return bytes(packed)
    return bytes(out)


def check_reader(name: str, content: bytes) -> None:
    """Read a content and write the result: an AssertionError or the exception itself if either goes wrong."""
    read, options, _ = READERS[name]
    value = outcome(lambda: read(io.BytesIO(content), **options))
    for write, file in next((ways for kind, ways in WRITERS.items() if isinstance(value, kind)), ()):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / file
            done = outcome(lambda write=write, path=path: [write(value, path)])
            left = os.listdir(folder)
            assert left == ([file] if done else []), f"{write.__name__} left {left}"


# ---------------------------------------------------------------------- constructors

NUMBERS = st.one_of(
    st.integers(-2, 6), st.sampled_from([2**31, -(2**63), 2**64, 0.5, float("nan"), float("inf"), True])
)
LABELS = st.one_of(
    st.sampled_from(["a", "b", "c", "d", 0, 1, 2, None, "", (), float("nan")]), st.text(max_size=3), NUMBERS
)
ODD = st.one_of(st.none(), NUMBERS, st.text(max_size=2), st.just({}), st.just(b"x"))
LISTS = st.lists(LABELS, max_size=7)
VALUES = st.lists(NUMBERS, max_size=7)
ROWS = st.lists(st.one_of(st.lists(st.integers(-1, 5), min_size=2, max_size=4), LISTS), max_size=5)
LABEL_ROWS = st.lists(st.lists(st.sampled_from("abcde"), min_size=2, max_size=4), max_size=6)
KINDS = st.sampled_from(["odd", "alike", "different", "unsure"])
NESTED = st.recursive(LABELS, lambda inner: st.lists(inner, max_size=4), max_leaves=9)
PARENTS = st.one_of(
    VALUES,
    st.integers(1, 5).flatmap(lambda n: st.lists(st.integers(-1, 2 * n), min_size=2, max_size=2 * n)),
    st.sampled_from([[2, 2, -1], [4, 4, 3, 4, -1], [3, 3, 4, 4, -1]]),
)
MERGES = st.lists(st.lists(st.one_of(st.integers(0, 6), NUMBERS), min_size=4, max_size=4), max_size=5)


def calls(*needed, **optional):
    """Strategy for (arguments, options) in which anything may be odd and each option may be missing."""
    plain = st.tuples(*(st.one_of(x, x, x, ODD) for x in needed))
    return st.tuples(plain, st.fixed_dictionaries({}, optional={k: st.one_of(x, x, ODD) for k, x in optional.items()}))


CONSTRUCTORS = {
    "LeafIndex": (tt.LeafIndex, calls(st.one_of(LISTS, NUMBERS))),
    "Hierarchy": (tt.Hierarchy, calls(PARENTS, leaves=LISTS, height=VALUES, length=VALUES, names=LISTS, ranks=LISTS)),
    "Hierarchy.from_nested": (tt.Hierarchy.from_nested, calls(NESTED)),
    "Ontology": (tt.Ontology, calls(LISTS, ROWS, names=LISTS, ranks=LISTS, relations=LISTS)),
    "TripletSet": (tt.TripletSet, calls(ROWS, st.one_of(LISTS, NUMBERS), weights=VALUES)),
    "TripletSet.from_labels": (
        tt.TripletSet.from_labels,
        calls(st.one_of(LABEL_ROWS, ROWS), leaves=LISTS, weights=VALUES),
    ),
    "PairwiseConstraints": (
        tt.PairwiseConstraints,
        calls(ROWS, ROWS, st.one_of(LISTS, NUMBERS), must_weights=VALUES, cannot_weights=VALUES),
    ),
    "PairwiseConstraints.from_labels": (
        tt.PairwiseConstraints.from_labels,
        calls(LABEL_ROWS, LABEL_ROWS, leaves=LISTS, must_weights=VALUES, cannot_weights=VALUES),
    ),
    "PairwiseConstraints.from_signed": (tt.PairwiseConstraints.from_signed, calls(LABEL_ROWS, VALUES, leaves=LISTS)),
    "Answer": (
        Answer,
        calls(st.lists(st.sampled_from("abc"), max_size=4) | LISTS, KINDS, odd=LABELS, who=LABELS, seconds=NUMBERS),
    ),
    "AnswerSet": (AnswerSet, calls(LISTS, leaves=LISTS, source=LABELS, data=LABELS)),
    "AnswerSet.from_columns": (
        AnswerSet.from_columns,
        calls(
            st.lists(st.lists(st.integers(-1, 4), min_size=3, max_size=3), max_size=4),
            VALUES,
            LISTS,
            who=LISTS,
            seconds=VALUES,
        ),
    ),
    "Design": (
        Design,
        calls(
            n_questions=NUMBERS,
            overlap=NUMBERS,
            repeats=NUMBERS,
            catch_share=NUMBERS,
            trios=st.one_of(ROWS, LABEL_ROWS),
        ),
    ),
    "from_linkage": (tt.from_linkage, calls(MERGES, leaves=LISTS)),
    "triplets_from_classes": (tt.triplets_from_classes, calls(LISTS)),
    "pairs_from_classes": (tt.pairs_from_classes, calls(LISTS)),
    "triplets_from_odd_one_out": (tt.triplets_from_odd_one_out, calls(LABEL_ROWS, LISTS, leaves=LISTS)),
}


def spelled(call) -> bytes:
    return repr(call).encode("unicode_escape")


class _Numbers(ast.NodeTransformer):
    """Not a number and infinity, as `repr` spells them."""

    def visit_Name(self, node):
        return ast.copy_location(ast.Constant(float(node.id)), node)


def check_constructor(name: str, content: bytes) -> None:
    """Make the call that a content spells, or return the exception if it is none of tripletree's."""
    tree = _Numbers().visit(ast.parse(content.decode("unicode_escape"), mode="eval"))
    args, options = ast.literal_eval(tree)
    outcome(lambda: CONSTRUCTORS[name][0](*args, **options))


# ---------------------------------------------------------------------- outcomes


def outcome(call):
    """The value, or None after an error that tripletree raises on purpose. Other exceptions pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except TripletreeError:
            return None
        except (ValueError, TypeError) as error:
            if raised_by_tripletree(error):
                return None
            raise


def raised_by_tripletree(error: BaseException) -> bool:
    """Whether the error comes from a `raise` in the package, not from a step that failed there or elsewhere."""
    place = error.__traceback__
    while place.tb_next:
        place = place.tb_next
    code = place.tb_frame.f_code
    raised = dis.opname[code.co_code[place.tb_lasti]] == "RAISE_VARARGS"
    return raised and f"{os.sep}tripletree{os.sep}" in code.co_filename


def check(name: str, content: bytes) -> None:
    (check_reader if name in READERS else check_constructor)(name, content)


# ---------------------------------------------------------------------- the search


def attempts_at_reader(name, until, rng, attempt):
    seeds = [x.encode() for x in READERS[name][2]]
    while time.monotonic() < until:
        attempt(mutated(rng, rng.choice(seeds), seeds))


def attempts_at_constructor(name, until, rng, attempt):
    while time.monotonic() < until:

        @seed(rng.getrandbits(64))
        @settings(
            max_examples=300,
            database=None,
            deadline=None,
            derandomize=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        @given(CONSTRUCTORS[name][1])
        def one(call):
            if time.monotonic() < until:
                attempt(spelled(call))

        one()


def child(name, until, rng, board, found):
    """Search until the first failure or the end of the time. `board` shows the input at work to the parent."""

    def attempt(content):
        board[:16] = int.from_bytes(board[:8], "little").__add__(1).to_bytes(8, "little") + len(content).to_bytes(
            8, "little"
        )
        board[16 : 16 + len(content)] = content
        try:
            check(name, content)
        except Exception:  # the smallest input yet: hypothesis goes on looking
            (found / "traceback").write_text(traceback.format_exc())
            (found / "input").write_bytes(content)
            raise

    (attempts_at_reader if name in READERS else attempts_at_constructor)(name, until, rng, attempt)


def seconds_of(pid: int) -> float:
    """CPU seconds of a process if the system tells them, else the time, since a busy machine is no hang."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def search(name: str, seconds: float, rng: random.Random) -> tuple[int, bytes | None, str]:
    """Number of inputs tried, and the failing input with its failure, or None."""
    board = mmap.mmap(-1, 1 << 22)
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder)
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            code = 1
            with contextlib.suppress(BaseException):
                child(name, time.monotonic() + seconds, rng, board, found)
                code = 0
            os._exit(code)
        tried, moved, since, why = b"", 0.0, time.monotonic(), ""
        while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
            time.sleep(0.05)
            if board[:8] != tried:
                tried, moved, since = board[:8], seconds_of(pid), time.monotonic()
            elif seconds_of(pid) - moved > PATIENCE or time.monotonic() - since > 10 * PATIENCE:
                os.kill(pid, signal.SIGKILL)
                ended = os.waitpid(pid, 0)
                why = f"no answer within {PATIENCE} s"
                break
        content = None
        if (found / "input").exists():
            content, why = (found / "input").read_bytes(), (found / "traceback").read_text()
        elif os.WIFSIGNALED(ended[1]) and not why:
            why = f"the process died of signal {os.WTERMSIG(ended[1])}"
    count, size = (int.from_bytes(board[k : k + 8], "little") for k in (0, 8))
    if content is None and ended[1]:
        content = board[16 : 16 + size]
    return count, content, why


def show(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", choices=[[], *READERS, *CONSTRUCTORS], metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=180, help="for all targets together (default: 180)")
    parser.add_argument("--seed", type=int, default=time.time_ns(), help="where chance begins (default: anew)")
    given = parser.parse_args(argv)
    targets = given.targets or [*READERS, *CONSTRUCTORS]
    show(f"seed {given.seed}, {len(targets)} targets")
    failures = 0
    for name in targets:
        count, content, why = search(name, given.seconds / len(targets), random.Random(f"{given.seed} {name}"))
        show(f"{name:32} {count:9,} inputs  {'ok' if content is None else 'FAILED'}")
        if content is not None:
            failures += 1
            path = CORPUS / name / hashlib.sha256(content).hexdigest()[:12]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            show(f"saved as {path}\n{why}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
