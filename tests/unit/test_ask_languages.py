"""The texts of the page that asks, in every language there is."""

import json
import re
from importlib.resources import files

import pytest

from tripletree.ask import session
from tripletree.ask.texts import LANGUAGES, check_language, texts_as_script, texts_of

ROOM = files("tripletree.ask")
SCRIPTS = "".join(
    ROOM.joinpath("page", x).read_text(encoding="utf-8") for x in ("view.js", "cards.js", "page.js", "widget.js")
)
REPLIES = ("Alike", "Different", "Unsure", "Undo")


def forms(text):
    """A text as its forms: one, or those for one and for several."""
    return {"": text} if isinstance(text, str) else text


def placeholders(text):
    return sorted(set(re.findall(r"\{(\w+)\}", text)))


def test_languages__there_is_a_file_for_each():
    names = sorted(x.name for x in (ROOM / "languages").iterdir() if x.name.endswith(".json"))
    assert names == sorted(f"{x}.json" for x in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages__have_the_same_keys_forms_and_placeholders(language):
    english, texts = texts_of("en"), texts_of(language)
    assert list(texts) == list(english)
    for key, text in texts.items():
        assert sorted(forms(text)) == sorted(forms(english[key])), key
        for form, said in forms(text).items():
            assert placeholders(said) == placeholders(forms(english[key])[form]), key
            assert said.strip() == said != "", key
            assert "  " not in said, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages__have_a_key_of_the_keyboard_for_each_reply(language):
    keys = [texts_of(language)[f"key{reply}"] for reply in REPLIES]
    assert len({x.lower() for x in keys}) == len(keys)
    assert all(len(x) == 1 and x.isalpha() and x.isascii() for x in keys)


@pytest.mark.parametrize("language", [x for x in LANGUAGES if x != "en"])
def test_languages__are_translated(language):
    same = {key for key, text in texts_of(language).items() if text == texts_of("en")[key]}
    assert same <= {"keyAlike", "keyDifferent", "fileTriplets"}


def test_languages__french_has_no_break_before_its_marks():
    for key, text in texts_of("fr").items():
        for said in forms(text).values():
            assert not re.search(r"[^\u00a0][?!:;%]", said.replace("answers=", "")), key


def test_languages__every_text_is_used_and_every_text_that_is_used_is_there():
    source = SCRIPTS + "".join(
        ROOM.joinpath(x).read_text(encoding="utf-8") for x in ("session.py", "server.py", "exports.py")
    )
    used = {key for key in texts_of("en") if f'"{key}"' in source or f"{key}:" in source}
    built = {f"key{reply}" for reply in REPLIES} | {
        f"{x}{end}" for x in ("alike", "different", "unsure") for end in ("", "Hint")
    }
    built |= {"undo", "questionPair", "alikePair", "differentPair"}
    built |= {f"{x}Text" for x in ("nameFirst", "allAnswered", "nothingLeft", "ready", "break", "paused")}
    assert used | built == set(texts_of("en"))
    said = set(re.findall(r'(?:say|refused)\("(\w+)"', source))
    assert said <= set(texts_of("en"))
    assert len(said) > 30


def test_languages__only_those_there_are():
    assert (check_language(None), check_language("de")) == ("", "de")
    with pytest.raises(ValueError, match="there is no language 'nl'; expected one of en, de, fr, or None"):
        check_language("nl")


def test_languages__are_one_line_of_script():
    line = texts_as_script()
    assert line.isascii()
    assert json.loads(line.removeprefix("const TEXTS = ").removesuffix(";\n")) == {x: texts_of(x) for x in LANGUAGES}


def test_languages__refusals_are_told_by_key_and_in_english():
    error = session.refused("errorLongName", 400, most=80)
    assert str(error) == "A name has at most 80 characters."
    assert error.body == {"error": str(error), "key": "errorLongName", "values": {"most": 80}}
    assert session.RefusedError("bad").body == {"error": "bad"}
