"""The guarded XML reader: elements, refusals with their places, and bounded memory."""

import gc
import tracemalloc
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.errors import ParseError
from tripletree.io.xml import CHUNK, XmlChildren, XmlEvents

BOMB = '<?xml version="1.0"?>\n<!DOCTYPE a [\n<!ENTITY l0 "lol">\n{}]>\n<a><b>&l20;</b></a>'.format(
    "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">\n' for k in range(1, 21))
)


def tags(content, **options):
    return [(event, element.tag) for event, element in XmlEvents(content, **options)]


def children(content, **options):
    return [ElementTree.tostring(x, encoding="unicode") for x in XmlChildren(content, **options)]


def refusals(content, **options):
    """The errors of both ways of reading."""
    for read in (XmlEvents, XmlChildren):
        with pytest.raises(ParseError) as caught:
            list(read(content, "x.xml", **options))
        yield caught.value


# ---------------------------------------------------------------------- reading


def test_xml__events_in_order_with_attributes_and_text():
    found = [
        (event, x.tag, dict(x.attrib), x.text if event == "end" else None)
        for event, x in XmlEvents(b'<a k="1"><b>one</b><c/></a>')
    ]
    assert found == [
        ("start", "a", {"k": "1"}, None),
        ("start", "b", {}, None),
        ("end", "b", {}, "one"),
        ("start", "c", {}, None),
        ("end", "c", {}, None),
        ("end", "a", {"k": "1"}, None),
    ]


@pytest.mark.parametrize("n", [0, 1, 2, 3 * CHUNK // 20])
def test_xml__children_are_whole_wherever_the_chunks_end(n):
    wanted = [f"<b>{k}<c><d>{k}</d></c></b>" for k in range(n)]
    assert children(f"<a>{''.join(wanted)}</a>".encode()) == wanted


@pytest.mark.parametrize("text", ['<a x="é"><b>é</b></a>', '<?xml version="1.0" encoding="utf-8"?><a><b>é</b></a>'])
def test_xml__text_and_encodings(text):
    body = text.split("?>")[-1]
    latin = f'<?xml version="1.0" encoding="iso-8859-1"?>{body}'
    for content in (text, text.encode(), latin.encode("latin-1"), latin, body.encode("utf-16"), "\ufeff" + text):
        assert children(content) == ["<b>é</b>"]


@pytest.mark.slow
def test_xml__memory_does_not_grow_with_the_file():
    peaks = []
    for n in (5_000, 50_000):
        content = b"<a>" + b"<b x='1'><c>some text</c></b>" * n + b"</a>"
        for read in (XmlEvents, XmlChildren):
            gc.collect()
            tracemalloc.start()
            assert sum(1 for _ in read(content)) in (n, 4 * n + 2)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert max(peaks) < 5_000_000


@pytest.mark.parametrize("n", [1, 100_000])
def test_xml__deep_nesting_is_read_where_allowed(n):
    content = b"<a>" * n + b"</a>" * n
    assert len(tags(content, max_depth=n)) == 2 * n
    assert sum(1 for _ in XmlChildren(content, max_depth=n)) == (n > 1)


# ---------------------------------------------------------------------- refusals and their places


@pytest.mark.parametrize(
    ("content", "line", "column", "what"),
    [
        (b"", 1, 1, "no element found"),
        (b"<a><b></a>", 1, 9, "mismatched tag"),
        (b"<a>\n  <b>&foo;</b></a>", 2, 6, "undefined entity"),
        (b"<a/>\n<b/>", 2, 1, "junk after document element"),
        (b"<a>\r\n\r\n<b", 3, 1, "unclosed token"),
        (b"plain text", 1, 1, "syntax error"),
        ("<a>é</a>".encode("latin-1"), 1, 4, "not well-formed"),
        (b"<?xml version='1.0' encoding='nonsense'?><a/>", 1, 1, "unknown encoding: nonsense"),
        (b"<?xml version='1.0' encoding='shift_jis'?><a/>", 1, 1, "multi-byte encodings are not supported"),
    ],
)
def test_xml__what_is_no_xml_is_refused_with_its_place(content, line, column, what):
    for error in refusals(content):
        assert (error.path, error.line, error.column) == ("x.xml", line, column)
        assert what in str(error)


@pytest.mark.parametrize("plain_entities", [False, True])
def test_xml__entities_in_entities_are_refused(plain_entities):
    for error in refusals(BOMB.encode(), plain_entities=plain_entities):
        assert error.line == (4 if plain_entities else 2)
        assert "for safety" in str(error)


@pytest.mark.parametrize(
    ("declaration", "what"),
    [
        ('<!ENTITY x SYSTEM "file:///etc/passwd">', "the entity 'x' refers to another file"),
        ('<!ENTITY x PUBLIC "p" "http://example.org/x">', "the entity 'x' refers to another file"),
        ('<!ENTITY % x "y">', "only plain text is let in"),
        ('<!ENTITY % x SYSTEM "x.dtd"> %x;', "the entity 'x' refers to another file"),
        ('<!ENTITY x "&#60;b/>">', "holds markup"),
        (f'<!ENTITY x "{"y" * 1001}">', "has 1001 characters, and 1000 are allowed"),
        ('<!ATTLIST a x CDATA "y">', "declarations of elements, attributes or notations are refused"),
        ('<!NOTATION n SYSTEM "x">', "declarations of elements, attributes or notations are refused"),
    ],
)
def test_xml__other_declarations_are_refused(declaration, what):
    content = f"<!DOCTYPE a [\n  {declaration}\n]>\n<a>&x;</a>".encode()
    for error in refusals(content, plain_entities=True):
        assert error.line == 2
        assert what in str(error)
    for error in refusals(content):
        assert error.line == 1
        assert "DOCTYPE" in str(error)


def test_xml__document_types_in_other_files_are_refused():
    for error in refusals(b'<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "x.dtd">\n<a/>', plain_entities=True):
        assert error.line == 2
        assert "refers to another file" in str(error)


def test_xml__a_declaration_behind_a_long_prolog_is_found():
    for error in refusals(b"<a/>".join([b"<!--" + b"x" * (3 * CHUNK) + b"-->\n" + BOMB.encode()[22:], b""])):
        assert error.line == 2


def test_xml__plain_entities_are_let_in_where_asked_for():
    content = b'<!DOCTYPE a [<!ENTITY owl "http://www.w3.org/2002/07/owl#">]><a><b x="&owl;Class">&owl;</b></a>'
    text = "http://www.w3.org/2002/07/owl#"
    assert children(content, plain_entities=True) == [f'<b x="{text}Class">{text}</b>']


def test_xml__too_deep_nesting_is_refused():
    for error in refusals(b"<a>\n" + b"<b>" * 200_000, max_depth=50_000):
        assert error.line == 2
        assert "more than 50,000 elements stand inside each other" in str(error)


def test_xml__no_other_file_is_opened(tmp_path, monkeypatch):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    monkeypatch.chdir(tmp_path)
    content = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]><a><b>&x;</b></a>'.encode()
    for error in refusals(content, plain_entities=True):
        assert "secret\n" not in str(error)


# ---------------------------------------------------------------------- places for the caller's own errors


def test_xml__errors_name_the_start_of_the_latest_element():
    content = "<a>\n  <b/>\n  <c>é<d/></c>\n</a>".encode()
    events, places = XmlEvents(content), {}
    for _, element in events:
        error = events.error("here")
        places.setdefault(element.tag, set()).add((error.line, error.column))
    assert places == {"a": {(1, 1)}, "b": {(2, 3)}, "c": {(3, 3)}, "d": {(3, 7)}}
    reader, kept = XmlChildren(content), []
    for element in reader:
        kept.append((reader.here, element.tag, reader.error("here").line))
    assert kept == [(0, "b", 2), (1, "c", 3)]
    assert [reader.error("here", at=at).line for at, _, _ in kept] == [2, 3]
    assert str(reader.error("wrong", at=0)) == "<string>, line 2, column 3: wrong\n    <b/>\n    ^"


@given(st.binary(max_size=60) | st.text(alphabet="<>/a &;!?-[]\"'=x\n", max_size=60))
def test_xml__anything_gives_elements_or_a_parse_error(content):
    for read in (XmlEvents, XmlChildren):
        try:
            list(read(content, plain_entities=True))
        except ParseError as error:
            assert error.line >= 1  # noqa: PT017
