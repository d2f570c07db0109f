"""The hints of commands and of Python are followed as they are printed, each of them, until one ends well.

A row of `SHELL` or `PYTHON` has a command that fails, or that tells something, with its small files. All ways on that
its message prints are run: commands, and options behind the same command. Each has to end well or at another message,
whose ways are followed in turn, and some way has to end well. Words in capitals are filled in, as a reader does.
"""

import re
import shlex
import warnings

import pytest
from click.testing import CliRunner

import tripletree as tt
from tripletree.cli import main

_PHYLOXML = '<phyloxml xmlns="http://www.phyloxml.org"><phylogeny rooted="true"><clade>'
_END = "</clade></phylogeny></phyloxml>"
FILES = {
    "dup.nwk": "((a,b),(a,c),d);",
    "net.nwk": "((a,(b)#H1),(#H1,c),d);",
    "unrooted.nwk": "[&U]((a:1,b:1):1,c:2,d:3);",
    "bare_unrooted.nwk": "[&U](('Homo sapiens',b),c,'d 1');",
    "rooted.nwk": "((a,b),(c,d));",
    "families.nwk": "((a,b),c);((d,e),f);",
    "trees.nex": "#NEXUS begin trees; tree x = ((a,b),c); tree y = ((a,c),b); end;",
    "alternatives.nwk": "((a,b),c);((a,c),b);",
    "decimal.nwk": "((a:0,1,b:0,2):1,c:2);",
    "apostrophe.nwk": "((a'b,c),d);",
    "mixed.xml": f"{_PHYLOXML}<clade><name>a</name></clade>"
    f"<clade><taxonomy><scientific_name>B b</scientific_name></taxonomy></clade>{_END}",
    "twice.xml": f"{_PHYLOXML}<clade><name>gene</name><taxonomy><code>AA</code></taxonomy></clade>"
    f"<clade><name>gene</name><taxonomy><code>BB</code></taxonomy></clade>{_END}",
    "unrooted.xml": _PHYLOXML.replace("true", "false")
    + f"<clade><name>a</name></clade><clade><name>b</name></clade><clade><name>c</name></clade>{_END}",
    "parents.csv": "child,parent\nx,a\nx,b\na,r\nb,r\ny,a\nz,b\n",
    "homonyms.csv": "id,name,parent_id\n1,Root,\n2,Felidae,1\n3,Leo,2\n4,Leo,2\n5,Canis,1\n",
    "cells.obo": "format-version: 1.2\n\n[Term]\nid: X:1\nname: root\n\n[Term]\nid: X:2\nname: a\nis_a: X:1\n\n"
    "[Term]\nid: X:3\nname: b\nis_a: X:1\n\n[Term]\nid: X:4\nname: c\nis_a: X:2\nis_a: X:3\n\n"
    "[Term]\nid: X:5\nname: d\nis_a: X:2\n",
    "obsolete.obo": "[Term]\nid: x\nis_obsolete: true\n",
    "items.tsv": "i1\tX:2\ni2\tX:3\ni3\tX:4\n",
    "lost.csv": "item,node\ni1,X:5\ni2,nowhere\ni3,X:2\n",
    "kids.json": '{"name":"r","kids":[{"name":"a"},{"name":"b"}]}',
    "triplets.txt": "a b | c\na c | d\n",
    "clash.txt": "a b | c\na c | b\n",
    "words.txt": "hello there\nthis is no tree\n",
    "codes.tsv": "1.1.1.1\talcohol\n1.1.1.2\talcohol NADP\n1.1.2.3\tlactate\n2.7.1.1\thexokinase\n",
    "codes.txt": "1.1.1.1\n1.1.1.2\n1.1.2.3\n2.7.1.1\n",
    "uvw.csv": "u,v,w\na,b,c\na,c,d\n",
    "anchors.csv": "anchor,near,far\na,b,c\nb,a,d\n",
    "people.csv": "rater,user,a,b,c,odd\nr1,u1,a,b,c,c\nr2,u2,b,a,d,d\n",
    "raters.csv": "rater,user,head,left,right,answer\nr1,u1,a,b,c,b\nr2,u2,d,c,a,c\n",
    "times.csv": "seconds,ms,a,b,c,odd\n1.5,1500,a,b,c,c\n2,2000,b,a,d,d\n",
    "passes.csv": "a,b,c,odd\na,b,c,c\nb,a,d,d\na,c,d,pass\n",
    "skips.csv": "head,left,right,answer\na,b,c,b\nd,c,a,c\nb,a,d,hm\n",
    "first.csv": "one,two,three,four\na,b,c,c\nb,a,d,d\n",
    "winner.csv": "a,b,c,winner\na,b,c,b\na,b,d,d\n",
    "same.csv": "a,b,c,same_pair\na,b,c,BC\na,b,d,AB\n",
    "alike.csv": "i1,i2,i3,alike_pair\na,b,c,BC\na,d,b,AC\na,b,d,AB\n",
    "either.csv": "center,left,right,odd\na,b,c,b\nd,c,a,c\n",
    "keys.csv": "reference,option1,option2,response\na,b,c,f\nb,a,c,f\nd,c,a,j\n",
    "three_keys.csv": "item1,item2,item3,response\na,b,c,l\na,c,b,k\nd,a,b,j\n",
    "orders.csv": 'items,shown,response\n"[""a"",""b"",""c""]","[""c"",""a"",""b""]",1\n'
    '"[""a"",""b"",""d""]","[""d"",""a"",""b""]",1\n',
    "uvwx.csv": "u,v,w,x\na,b,c,b\nd,c,a,c\n",
    "strangers.txt": "a b | c\na e | c\n",
    "strangers.csv": "head,left,right,answer\na,b,c,b\nd,c,e,c\n",
    "apart.csv": "a,b,cannot\nb,c,cannot\na,c,cannot\n",
    "links.csv": "p,q,r\na,b,must\nc,d,cannot\n",
    "data.csv": "name,x,y\na,0,0\nb,0,1\nc,5,5\nd,5,6\n",
    "repeats.csv": "name,id,x,y\na,1,0,0\na,2,0,1\nc,3,5,5\nd,4,5,6\n",
    "gaps.csv": "name,x,y\na,0,\nb,0,1\nc,5,5\nd,5,6\n",
    "commas.csv": "name;x;y\na;0,5;1\nb;0,6;1\nc;5,5;2\nd;5,6;2\n",
    "classes.csv": "name,x,y,kind\na,0,0,u\nb,0,1,u\nc,5,5,v\nd,5,6,v\ne,1,1,-1\n",
    "nodes.dmp": "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tspecies\t|\n3\t|\t1\t|\tspecies\t|\n",
    "line.csv": "name,x\n" + "".join(f"s{i},{i}\n" for i in range(36)),
    "exchanged.nwk": "(" + ",".join(f"(s{i},s{i + 12},s{i + 24})" for i in range(12)) + ");",
    "rows.csv": "class,order,animal\nMammalia,Carnivora,cat\nMammalia,Carnivora,dog\nAves,Passeriformes,crow\n",
}  # fmt: skip

SHELL = [
    "decompose dup.nwk",
    "info dup.nwk",
    "convert dup.nwk",
    "match data.csv dup.nwk",
    "cluster data.csv --hierarchy dup.nwk -k 2",
    "report data.csv --know dup.nwk --resamples 0 -o report.html",
    "supertree dup.nwk rooted.nwk",
    "convert net.nwk",
    "plot net.nwk -o net.svg",
    "supertree net.nwk rooted.nwk",
    "decompose unrooted.nwk",
    "decompose bare_unrooted.nwk",
    "info unrooted.nwk",
    "info bare_unrooted.nwk",
    "decompose unrooted.xml",
    "info unrooted.xml",
    "cluster data.csv --hierarchy unrooted.nwk -k 2",
    "report data.csv --know unrooted.nwk --resamples 0 -o report.html",
    "compare unrooted.nwk rooted.nwk",
    "supertree unrooted.nwk rooted.nwk",
    "decompose families.nwk",
    "info alternatives.nwk",
    "convert alternatives.nwk",
    "info trees.nex",
    "info decimal.nwk",
    "info apostrophe.nwk",
    "info mixed.xml",
    "info twice.xml",
    "convert parents.csv",
    "info parents.csv",
    "info homonyms.csv --labels name",
    "convert cells.obo",
    "match data.csv cells.obo --tree t.nwk",
    "info obsolete.obo",
    "convert cells.obo --attach items.tsv",
    "convert cells.obo --attach lost.csv --parent first",
    "info kids.json",
    "decompose triplets.txt",
    "info words.txt",
    "info codes.tsv",
    "info codes.txt",
    "info codes.txt --from codes",
    "info nodes.dmp",
    "info rows.csv",
    "check uvw.csv",
    "check anchors.csv",
    "answers anchors.csv",
    "cluster data.csv --triplets anchors.csv -k 2",
    "cluster data.csv --pairs links.csv -k 2",
    *(f"{x} people.csv" for x in ("check", "explain", "describe", "info", "build", "repair", "closure", "answers")),
    "cluster data.csv --triplets people.csv -k 2",
    "report data.csv --know people.csv --resamples 0 -o report.html",
    "plot rooted.nwk --triplets people.csv -o people.svg",
    "answers people.csv --known passes.csv --who user",
    "closure triplets.txt --query people.csv",
    "cluster data.csv --method divisive --comparisons raters.csv -k 2",
    "report data.csv --know raters.csv --resamples 0 -o report.html",
    "describe times.csv",
    "check passes.csv",
    "cluster data.csv --triplets passes.csv -k 2",
    "report data.csv --know passes.csv --resamples 0 -o report.html",
    "check skips.csv --as comparisons",
    "check keys.csv --as comparisons",
    *(f"check {x}.csv --as answers" for x in ("three_keys", "orders")),
    *(f"answers {x}.csv" for x in ("three_keys", "orders")),
    "cluster data.csv --method divisive --comparisons keys.csv -k 2",
    "cluster data.csv --method divisive --comparisons skips.csv -k 2",
    "report data.csv --know skips.csv --resamples 0 -o report.html",
    "answers first.csv",
    "check first.csv --as answers",
    *(f"{x} {y}.csv" for x in ("check", "build", "describe") for y in ("winner", "same")),
    "check alike.csv",
    "cluster data.csv --triplets winner.csv -k 2",
    "report data.csv --know winner.csv --resamples 0 -o report.html",
    *(f"{x} either.csv" for x in ("check", "describe", "answers")),
    "cluster data.csv --triplets either.csv -k 2",
    "report data.csv --know either.csv --resamples 0 -o report.html",
    "cluster data.csv --triplets uvwx.csv -k 2",
    "report data.csv --know uvwx.csv --resamples 0 -o report.html",
    "cluster data.csv --triplets strangers.txt -k 2",
    "cluster data.csv --method divisive --comparisons strangers.csv -k 2",
    "cluster data.csv --pairs apart.csv --clusters 2",
    "check rooted.nwk",
    "check sample:mammals",
    "cluster data.csv --triplets rooted.nwk -k 2",
    "cluster repeats.csv -k 2",
    "cluster gaps.csv -k 2",
    "cluster commas.csv -k 2",
    "cluster classes.csv --classes kind -k 2",
    "cluster line.csv --hierarchy exchanged.nwk -k 3 --method divisive",
]  # fmt: skip
#: Files that are nothing at all: another error is all that there is.
LEFT = {"info words.txt"}
#: What a reader of a hint fills in.
FILL = {"FILE": None, "NAME": "id", "A,B,C": "u,v,w", "DATA": "data.csv", "FORMAT": "newick"}
#: Python in a message of the shell.
PYTHONIC = re.compile(
    r"\bh\.\w+\(|\b(?:read|write|parse)_\w+|(?<!-O )(?<![\w'\"/;?&])[a-z_]+=(?:['\"]|True|False|None|\.\.\.)"
)
_WORD = r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+"


def run(command, **options):
    return CliRunner().invoke(main, shlex.split(command.removeprefix("tripletree ")), **options)


def said(result):
    """The message without the part of a file that it shows."""
    assert isinstance(result.exception, (SystemExit, type(None))), result.exception
    text = result.output if result.exit_code == 0 else result.stderr
    return re.sub(r"\n  [^\n]*\n *\^\s*\Z", "", text)


def value_of(text):
    """A value without the punctuation behind it, unless nothing would be left: ``-O decimal=,``."""
    short = text.rstrip(".,;:)")
    return text[: len(short) + 1] if not short or short.endswith("=") else short


def ways(command, message):
    """The commands that a message offers: whole ones, and options for the command at hand."""
    command = command.removeprefix("tripletree ")
    name, file = command.split()[0], re.search(r"\S+\.\w+", command)
    taken = {y: x for x in main.commands[name].params for y in (*x.opts, *x.secondary_opts)}
    found, rest = [], message
    for whole in re.findall(r"'(tripletree [a-z]+ (?:[^'\n]|(?<=[ =])'[^'\n]*'(?=[ ']))*)'", message):
        found.append(whole)
        rest = rest.replace(whole, "")
    for whole in re.findall(r"(?<!')(tripletree [a-z]+ [^;\n]*)(?:;|\n|$)", rest):
        found.append(whole)
        rest = rest.replace(whole, "")
    options, end = [], -1
    for x in re.finditer(rf"(?<![\w'-])(?:(-O) (\w+={_WORD})|(--?[a-z][a-z-]*)(?: (?!--?[a-z])({_WORD}))?)", rest):
        option, value = x[1] or x[3], x[2] or x[4]
        if option not in taken:
            continue
        flag = getattr(taken[option], "is_flag", False)
        if not flag and value is None:
            continue
        text = option if flag else f"{option} {value_of(value)}"
        if options and x.start() == end + 1:
            options[-1] += f" {text}"
        else:
            options.append(text)
        end = x.start() + len(text)
    filled = {x: y or (file[0] if file else x) for x, y in FILL.items()}
    found, options = (
        [re.sub(r"(?<!\S)[A-Z][A-Z,]*(?!\S)", lambda x: filled.get(x[0], x[0]), x) for x in some]
        for some in (found, options)
    )

    def changed(option):
        """The command with another value of an option that takes one."""
        first = option.split()[0]
        keeps = getattr(taken[first], "is_flag", False) or getattr(taken[first], "multiple", False)
        return f"{command if keeps else re.sub(rf' {first} {_WORD}', '', command)} {option}"

    return found + [changed(x) for x in options if x not in command]


def follow(command, seen, ended, depth=0):
    result = run(command)
    message = said(result)
    if depth and result.exit_code == 0:
        ended.append(command)
        return
    assert message not in seen, f"{command} leads back to {message}"
    shown = PYTHONIC.search(message)
    assert shown is None, f"{command} shows Python, {shown[0]!r}: {message}"
    onward = ways(command, message)
    assert onward or depth, f"{command} offers no way on: {message}"
    for x in onward if depth < 4 else ():
        follow(x, [*seen, message], ended, depth + 1)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize("command", SHELL)
def test_hints__lead_on(files, command):
    ended = []
    follow(command, [], ended)
    assert ended or command in LEFT, run(command).output


#: Python that fails: an expression, in which ``**o`` are the options that a message offers.
PYTHON = [
    "decompose(read_hierarchy('dup.nwk', **o))",
    "decompose(read_newick('dup.nwk', **o))",
    "read_hierarchy('net.nwk', **o)",
    "decompose(read_hierarchy('unrooted.nwk', **o))",
    "decompose(read_newick('unrooted.nwk', **o))",
    "decompose(read_hierarchy('bare_unrooted.nwk', **o))",
    "read_hierarchy('families.nwk', **o)",
    "read_hierarchy('trees.nex', **o)",
    "read_hierarchy('decimal.nwk', **o)",
    "read_hierarchy('apostrophe.nwk', **o)",
    "read_hierarchy('mixed.xml', **o)",
    "read_hierarchy('twice.xml', **o)",
    "read_hierarchy('parents.csv', **o)",
    "read_hierarchy('homonyms.csv', **({'labels': 'name'} | o))",
    "read_hierarchy('cells.obo', **o)",
    "read_hierarchy('obsolete.obo', **o)",
    "read_ontology('cells.obo').attach({'i1': 'X:2', 'i2': 'nowhere'}, **o)",
    "read_hierarchy('kids.json', **o)",
    "read_hierarchy('triplets.txt', **o)",
    "read_hierarchy('codes.tsv', **o)",
    "read_hierarchy('nodes.dmp', **o)",
    "read_triplets('uvw.csv', **o)",
    "read_triplets('anchors.csv', **o)",
    "tripletree.io.read_answers('anchors.csv', **o)",
    "read_pairs('links.csv', **o)",
]
_VALUE = r"'[^'\n]*'|\"[^\"\n]*\"|\[[^\]\n]*\]|\([^()\n]*\)|True|False|\d+"
_KNOWN = {"tripletree": tt, **vars(tt), **vars(tt.io)}


def outcome(expression, options):
    """The message of a failure, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(expression, _KNOWN, {"o": options})
        except (ValueError, TypeError, tt.errors.TripletreeError) as error:
            return re.sub(r"\n  [^\n]*\n *\^\s*\Z", "", str(error))
    return None


def ways_in_python(expression, options, message):
    """The expressions that a message offers, each with its options."""
    file = re.search(r"'(\S+\.\w+)'", expression)[1]
    found, rest = [], message
    for x in re.finditer(rf"h\.(reroot\((?:{_VALUE})\))", rest):
        read = re.search(r"read_\w+\('\S+\.\w+', \*\*o\)", expression)[0]
        found.append((expression.replace(read, f"{read}.{x[1]}"), options))
    for x in re.finditer(r"(?<![\w.])((?:tripletree\.io\.)?read_\w+)(\([^()]*(?:\([^()]*\)[^()]*)*\))?", rest):
        called = (x[2] or "(path)").replace("...", "path", 1).replace("path", repr(file))
        if "..." not in called:
            found.append((x[1] + called, {}))
        rest = rest.replace(x[0], "")
    for x in re.finditer(rf"(?<![\w.])([a-z_]+)=({_VALUE})", rest):
        given = options | {x[1]: eval(x[2], {})}
        if given != options:
            found.append((expression, given))
    return found


def follow_in_python(expression, options, seen, ended):
    message = outcome(expression, options)
    if message is None:
        ended.append((expression, options))
        return
    assert message not in seen, f"{expression} with {options} leads back to {message}"
    onward = ways_in_python(expression, options, message) if len(seen) < 4 else []
    assert onward or seen, message
    for x, given in onward:
        follow_in_python(x, given, [*seen, message], ended)


@pytest.mark.parametrize("expression", PYTHON)
def test_hints__lead_on_in_python(files, expression):
    ended = []
    assert outcome(expression, {}) is not None
    follow_in_python(expression, {}, [], ended)
    assert ended, outcome(expression, {})


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
