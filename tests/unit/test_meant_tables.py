"""Tables of people's answers, triplets and pairs that are easily misread: the right value, or each printed command.

A row of `TABLES` is a reader, a text, and what it says. A text that may mean several things has the words of the error
instead, and the values of the commands in it, in their order.
"""

import io
import re

import pytest

import tripletree as tt
from tripletree.errors import ParseError
from tripletree.io import read_answers, read_comparisons, read_pairs, read_triplets


def answers(found):
    return [f"{x.odd or x.kind}{'' if x.who is None else f' by {x.who}'}" for x in found]


def comparisons(found):
    return [" ".join(str(found.leaves[i]) for i in row) for row in found.rows.tolist()]


def triplets(found):
    weights = [1] * len(found) if found.weights is None else found.weights.tolist()
    return sorted(
        f"{min(a, b)} {max(a, b)} | {c}" + (f" x {w:g}" if w != 1 else "")
        for (a, b, c), w in zip(found, weights, strict=True)
    )


def pairs(found):
    return [f"{a} {b} {link}" for a, b, link in found]


READERS = {x.__name__: (x, say) for x, say in zip(
    (read_answers, read_comparisons, read_triplets, read_pairs), (answers, comparisons, triplets, pairs), strict=True
)}  # fmt: skip
TRIPLETS = ["cat dog | eel", "dog wolf | cat"]
#: A command in an error.
CALL = re.compile(r"(read_\w+)(\((?:[^()']|'[^']*'|\([^()]*\))*\))")
#: Of four questions by two people, behind the names of columns.
FOUR = "{0}1,dog,wolf,cat,cat\n{0}1,dog,cat,eel,dog\n{0}2,cat,wolf,eel,eel\n{0}2,dog,wolf,eel,wolf\n"
SAID = [f"{odd} by {who}" for odd, who in zip(("cat", "dog", "eel", "wolf"), ("p1", "p1", "p2", "p2"), strict=True)]
ROWS = "dog,wolf,cat,{}\ndog,cat,eel,{}\ncat,wolf,eel,{}\n"
LINKED = ["dog wolf must", "dog eel cannot"]
TWO = "dog,wolf,{}\ndog,eel,{}\n"
MOST = ["book paper must", "car tiger cannot"]
WORDS = "tiger,cat,7\ntiger,car,1.2\nbook,paper,7.46\n"


def lines(text, *cells):
    """Rows with these cells at the end."""
    return text.format(*cells)


TABLES = [
    # two columns of labels and no link: must-links, if that is said; records of dedupe have ids
    (
        "read_pairs",
        "idAbt,idBuy\ndog,wolf\ncat,lion\n",
        ("two columns and no link. If all", [["dog wolf must", "cat lion must"]]),
    ),
    # JSON with a list for each column
    ("read_triplets", '{"a": ["cat", "dog"], "b": ["dog", "wolf"], "c": ["eel", "cat"]}', TRIPLETS),
    ("read_pairs", '{"id1": ["dog", "dog"], "id2": ["wolf", "eel"], "same": [true, false]}', LINKED),
    ("read_pairs", "original,duplicate\ndog,wolf\n", ("two columns and no link", [["dog wolf must"]])),
    *(
        (
            "read_answers",
            f"who,x1,x2,x3,odd\nann,dog,cat,eel,eel\nann,dog,cat,owl,{word}\n",
            ["eel by ann", "unsure by ann"],
        )
        for word in ("k.A.", "keine Angabe", "keines", "non renseigné", "not sure", "ninguno", "brak danych", "不明")
    ),
    ("read_pairs", "dog,wolf\nwolf,fox\n", ("two columns and no link", [["dog wolf must", "wolf fox must"]])),
    *(
        ("read_pairs", f'{{"distinct": [{form % ("dog", "eel")}], "match": [{form % ("dog", "wolf")}]}}', LINKED)
        for form in (
            '[{"id": "%s", "name": "x"}, {"id": "%s", "name": "y"}]',
            '{"__class__": "tuple", "__value__": [{"id": "%s", "name": "x"}, {"id": "%s", "name": "y"}]}',
        )
    ),
    # words for "cannot say" are no answers and no links, unless they are labels
    *(
        ("read_answers", f"who,a,b,c,odd\np1,dog,wolf,cat,cat\np2,dog,wolf,cat,{x}\n", ["cat by p1", "unsure by p2"])
        for x in ("no sé", "не знаю", "nie wiem", "vet ej", "わからない", "maybe")
    ),
    ("read_answers", "a,b,c,odd\nmaybe,yes,eel,maybe\nmaybe,yes,eel,eel\n", ["maybe", "eel"]),
    ("read_pairs", "mot1;mot2;même groupe ?\ndog;wolf;oui\ndog;eel;non\ndog;cat;ne sait pas\n", LINKED),
    (
        "read_answers",
        "osoba,słowo1,słowo2,słowo3,inne\n" + FOUR.format("p") + "p2,dog,wolf,cat,nie wiem\n",
        ("give odd=", [[*SAID, "unsure by p2"]]),
    ),
    # items that are called alike are the items, also beside a column that shares no label; two options have one anchor
    (
        "read_answers",
        "partecipante,oggetto1,oggetto2,oggetto3,diverso\np1,a,b,c,c\np1,d,e,f,f\np2,a,b,c,b\n",
        ("odd=", [["c by p1", "f by p1", "b by p2"], ["a c b", "d f e", "a b c"]]),
    ),
    (
        "read_comparisons",
        "kohde,vaihtoehto1,vaihtoehto2,valinta\ncat,dog,eel,1\nowl,ant,jay,2\n",
        ("answer=", [["cat", "ant"], ["cat dog eel", "owl jay ant"]]),
    ),
    # an anchor in words is not compared with numbers; R's names; trials of jsPsych as CSV
    (
        "read_comparisons",
        "head,winner,loser,Worker.ID,Center,Left,Right,Answer\n9,5,3,w1,cat,dog,eel,dog\n7,1,2,w1,owl,ant,jay,jay\n",
        ["cat dog eel", "owl jay ant"],
    ),
    (
        "read_comparisons",
        'trial_type,stimulus,response,choices\nkey,+,null,\nkey,cat,0,"[""dog"",""eel""]"\nkey,slow down,y,\n'
        'key,owl,1,"[""ant"",""jay""]"\n',
        ["cat dog eel", "owl jay ant"],
    ),
    # numbers for each of the three triplets
    (
        "read_triplets",
        "A,B,C,AB_C,AC_B,BC_A\ncat,dog,eel,2,1,0\n",
        ("is that the odd one", [["cat dog | eel"], ["dog", "eel", "eel"]]),
    ),
    (
        "read_triplets",
        "a,b,c,ab,ac,bc\nx,y,z,0.3,0.1,0.6\n",
        ("numbers for each pair", [["x y | z"], ["y z | x x 0.6"], ["x z | y x 0.1"], ["x y | z x 0.3"]]),
    ),
    # pairs behind other columns
    *(
        ("read_pairs", f"{names}\n1,dog,wolf,{yes}\n2,dog,eel,{no}\n", ("look like pairs", [LINKED]))
        for names, yes, no in [
            ("pair,first,second,type", "ML", "CL"),
            ("rater,item_a,item_b,judgment", "same", "different"),
        ]
    ),
    # lines of JSON with items, and the answer under another name
    ("read_answers", '{"items": ["cat", "dog", "eel"], "odd_one": "eel", "annotator": "ann"}\n', ["eel by ann"]),
    # a column of people, in any language
    *(
        ("read_answers", f"{names}\n{FOUR.format('p')}", (words, [SAID]))
        for names, words in [
            ("osallistuja,kuva1,kuva2,kuva3,vastaus", "and 'osallistuja' who said it"),
            ("deelnemer,plaatje_a,plaatje_b,plaatje_c,gekozen", "give odd="),
            ("участник,слово1,слово2,слово3,лишнее", "give odd="),
            ("katılımcı,kelime1,kelime2,kelime3,farklı", "and 'katılımcı' who said it"),
            ("panelist,stim_l,stim_m,stim_r,different_one", "and 'panelist' who said it"),
        ]
    ),
    *(
        ("read_answers", f"{names}\n{FOUR.format('p')}", SAID)
        for names in ["uczestnik,obraz1,obraz2,obraz3,odpowiedz", "参加者,単語1,単語2,単語3,回答"]
    ),
    ("read_answers", f"valutatore,a,b,c,scelta\n{FOUR.format('p')}", ["cat", "dog", "eel", "wolf"]),
    # how often, or which row
    (
        "read_triplets",
        "a,b,c,n\n" + lines(ROWS, 3, 7, 12),
        (
            "does 'n' tell how often",
            [
                ["cat dog | eel x 7", "cat wolf | eel x 12", "dog wolf | cat x 3"],
                ["cat dog | eel", "cat wolf | eel", "dog wolf | cat"],
            ],
        ),
    ),
    ("read_triplets", "a,b,c,n\n" + lines(ROWS, 1, 2, 3), ["cat dog | eel", "cat wolf | eel", "dog wolf | cat"]),
    (
        "read_triplets",
        "a,b,c,n\n" + lines(ROWS, 3, 2, 2),
        ["cat dog | eel x 2", "cat wolf | eel x 2", "dog wolf | cat x 3"],
    ),
    (
        "read_comparisons",
        "anchor,near,far,n\n" + lines(ROWS, 1, 3, 4),
        (
            "does 'n' tell how often",
            [
                ["dog wolf cat", *["dog cat eel"] * 3, *["cat wolf eel"] * 4],
                ["dog wolf cat", "dog cat eel", "cat wolf eel"],
            ],
        ),
    ),
    (
        "read_answers",
        "who,a,b,c,odd,n\nx,dog,wolf,cat,cat,2\nx,dog,cat,eel,eel,1\n",
        ("does 'n' tell how often", [["cat by x", "cat by x", "eel by x"], ["cat by x", "eel by x"]]),
    ),
    # votes for each of several
    *(
        ("read_answers", f"{names}\ndog,wolf,cat,0,1,2\ncat,wolf,eel,0,0,1\n", ["wolf", "cat", "cat", "eel"])
        for names in [
            "clip1_id,clip2_id,clip3_id,clip1_numvotes,clip2_numvotes,clip3_numvotes",
            "a,b,c,votes_a,votes_b,votes_c",
            "A,B,C,A_odd,B_odd,C_odd",
            "item1,item2,item3,n1,n2,n3",
            "left,middle,right,left_votes,middle_votes,right_votes",
            "w1,w2,w3,stimmen1,stimmen2,stimmen3",
            "species_a,species_b,species_c,n_experts_a,n_experts_b,n_experts_c",
        ]
    ),
    *(
        (
            "read_triplets",
            f"{names}\ndog,wolf,cat,0,1,2\ncat,wolf,eel,0,0,1\n",
            (words, [["wolf", "cat", "cat", "eel"]]),
        )
        for names, words in [
            ("item1,item2,item3,n1,n2,n3", "have the votes for each of three"),
            ("w1,w2,w3,stimmen1,stimmen2,stimmen3", "have the votes for each of three"),
        ]
    ),
    *(
        (
            "read_comparisons",
            f"{names}\ndog,wolf,cat,2,1\ndog,cat,eel,1,0\n",
            ["dog wolf cat", "dog wolf cat", "dog cat wolf", "dog cat eel"],
        )
        for names in [
            "anchor,left,right,votes_left,votes_right",
            "reference,a,b,n_a,n_b",
            "query,opt1,opt2,opt1_count,opt2_count",
        ]
    ),
    # the right answers beside those of people
    *(
        (
            "read_answers",
            f"item1,item2,item3,{right},{said}\n" + lines(ROWS, "cat,dog", "eel,eel", "eel,eel"),
            ["dog", "eel", "eel"],
        )
        for right, said in [
            ("gold", "response"),
            ("true_odd", "answer"),
            ("expected_odd", "odd"),
            ("richtig", "antwort"),
            ("correct_answer", "choice"),
            ("ground_truth", "selected"),
        ]
    ),
    *(
        (
            "read_answers",
            f"item1,item2,item3,{one},{two}\n" + lines(ROWS, "cat,dog", "eel,eel", "eel,eel"),
            (
                f"'{one}' and '{two}' both name|'{two}' and '{one}' both name",
                sorted([["cat", "eel", "eel"], ["dog", "eel", "eel"]], reverse=turned),
            ),
        )
        for one, two, turned in [("odd", "human", False), ("intended", "answer", True), ("odd", "resp_odd", False)]
    ),
    ("read_answers", "item1,item2,item3,gold\n" + lines(ROWS, "cat", "dog", "eel"), ["cat", "dog", "eel"]),
    # the odd one first, or in the middle, and what is no odd one
    *(
        ("read_triplets", f"{names}\n{rows}", TRIPLETS)
        for names, rows in [
            ("odd,sim1,sim2", "cat,dog,wolf\neel,dog,cat\n"),
            ("similar1,similar2,odd", "dog,wolf,cat\ndog,cat,eel\n"),
            ("x,odd,y", "dog,cat,wolf\ncat,eel,dog\n"),
            ("intruso,parecido1,parecido2", "cat,dog,wolf\neel,dog,cat\n"),
            ("close1,close2,far", "dog,wolf,cat\ndog,cat,eel\n"),
            ("sister1,sister2,outgroup", "dog,wolf,cat\ndog,cat,eel\n"),
            ("outlier,who,pair1,pair2", "cat,p,dog,wolf\neel,p,dog,cat\n"),
        ]
    ),
    (
        "read_comparisons",
        "odd,sim1,sim2\ncat,dog,wolf\neel,dog,cat\n",
        ("nothing is compared with an anchor", [TRIPLETS, ["cat", "eel"]]),
    ),
    (
        "read_triplets",
        "subject,item1,item2,item3,odd\ns,dog,wolf,cat,cat\ns,dog,cat,eel,dog\n",
        ("names the odd one of", [["cat by s", "dog by s"], ["wolf dog cat", "cat eel dog"]]),
    ),
    (
        "read_triplets",
        "most_central,item2,item3\ndog,wolf,cat\ndog,cat,eel\n",
        ("is nearer to", [["wolf dog cat", "cat dog eel"], ["cat dog wolf", "eel dog cat"]]),
    ),
    (
        "read_triplets",
        "one,two,three\ndog,wolf,cat\ndog,cat,eel\n",
        ("'three' is the odd one", [TRIPLETS, ["cat eel | dog", "cat wolf | dog"], ["dog wolf cat", "dog cat eel"]]),
    ),
    # two and one
    *(
        ("read_answers", f"{names},{told}\n" + lines(ROWS, *codes), ["cat", "dog", "wolf"])
        for names, told, codes in [
            ("a,b,c", "answer", ("ab|c", "bc|a", "ac|b")),
            ("item1,item2,item3", "response", ("12|3", "1|23", "13|2")),
            ("x,y,z", "topology", ("xy|z", "yz|x", "zx|y")),
            ("p,q,r", "code", ('"((p,q),r)"', '"((q,r),p);"', '"(q,(p,r))"')),
            ("item1,item2,item3", "choice", ("dog wolf|cat", "cat, eel | dog".replace(",", " and"), "eel/cat | wolf")),
        ]
    ),
    (
        "read_triplets",
        "a,b,c,answer\n" + lines(ROWS, "ab|c", "bc|a", "ab|c"),
        ("names one of", [["cat dog | eel", "cat wolf | eel", "dog wolf | cat"], ["cat", "dog", "eel"]]),
    ),
    (
        "read_answers",
        "x,y,z,answer\n" + lines(ROWS, "xy", "yz", "xy"),
        ("the two that are alike, so that the third is odd", [["cat", "dog", "eel"]]),
    ),
    # triplets in Newick, and in one cell
    *(
        ("read_triplets", text, TRIPLETS)
        for text in [
            "((dog,wolf),cat);\n(eel,(cat,dog));\n",
            "((dog:1,wolf:2)n:.5,cat:3);\n(eel,(cat,dog))\n",
            'tree\n"((dog,wolf),cat);"\n"(eel,(cat,dog));"\n',
            "triplet,note\ndog wolf | cat,x\ncat dog | eel,y\n",
        ]
    ),
    (
        "read_triplets",
        'tree,support\n"((dog,wolf),cat);",3\n"(eel,(cat,dog));",2\n',
        ["cat dog | eel x 2", "dog wolf | cat x 3"],
    ),
    ("read_triplets", "((dog,wolf),cat) 2\n", ["dog wolf | cat x 2"]),
    # the link first, in other languages, below unknown names
    *(
        ("read_pairs", text, LINKED)
        for text in [
            "ML dog wolf\nCL dog eel\n",
            "must-link,dog,wolf\ncannot-link,dog,eel\n",
            "type,a,b\nML,dog,wolf\nCL,dog,eel\n",
            "link,a,b\nmust,dog,wolf\ncannot,dog,eel\n",
            "doc1,doc2,stesso_gruppo\n" + lines(TWO, "si", "no"),
            "woord1,woord2,zelfde\n" + lines(TWO, "ja", "nee"),
            "a,b,link\n" + lines(TWO, "zelfde", "verschillend"),
            "eintrag1,eintrag2,duplikat\n" + lines(TWO, "ja", "nein"),
            "slowo1,slowo2,ten_sam\n" + lines(TWO, "tak", "nie"),
            "palavra1,palavra2,mesmo_grupo\n" + lines(TWO, "sim", "não"),
            "doc1,doc2,gleiche_gruppe\n" + lines(TWO, 1, 0),
        ]
    ),
    (
        "read_pairs",
        "doc1,doc2,panelka\n" + lines(TWO, "joo", "eipä") + "eel,wolf,eipä\n",
        (
            "no column is known",
            [
                ["dog wolf cannot", "dog eel must", "eel wolf must"],
                [*LINKED, "eel wolf cannot"],
                ["dog eel must", "dog wolf must", "eel wolf must"],
            ],
        ),
    ),
    (
        "read_pairs",
        "id_one,name_one,id_two,name_two,match\n1,dog,2,wolf,1\n1,dog,3,eel,0\n",
        ["1 2 must", "1 3 cannot"],
    ),
    (
        "read_pairs",
        "id_one,name_one,id_two,name_two\n1,dog,2,wolf\n1,dog,3,eel\n",
        ("no column is known for the link", [["1 2 must", "1 3 must"]]),
    ),
    # numbers, and a thing beside itself
    (
        "read_pairs",
        f"word1,word2,similarity\n{WORDS}",
        ("high ones of 'similarity'", [MOST, ["book paper must", "car tiger must", "cat tiger must"]]),
    ),
    (
        "read_pairs",
        f"word1,word2,SimLex999\n{WORDS}",
        (
            "low ones of 'SimLex999'",
            [MOST, ["car tiger must", "book paper cannot"], ["book paper must", "car tiger must", "cat tiger must"]],
        ),
    ),
    ("read_pairs", "x,y,dist\ntiger,cat,3\ntiger,car,7.2\nbook,paper,1\n", ("low ones of 'dist'", [MOST])),
    ("read_pairs", "book paper 0.9\ntiger car 0.1\n", ("high ones", [MOST, ["car tiger must", "book paper cannot"]])),
    ("read_pairs", "a,b,link\ndog,dog,must\n" + lines(TWO, 1, 0).replace("1", "must").replace("0", "cannot"), LINKED),
]


def name_of(case):
    return f"{case[0].removeprefix('read_')}: {case[1].partition(chr(10))[0]}"


def same(kind, found, wanted):
    """Whether values are alike: triplets and pairs in any order and direction."""
    if kind != "read_pairs":
        return found == wanted if kind != "read_triplets" else sorted(found) == sorted(wanted)
    one, two = ({(frozenset(x.split()[:2]), x.split()[2]) for x in some} for some in (found, wanted))
    return one == two


@pytest.mark.parametrize("case", TABLES, ids=map(name_of, TABLES))
def test_meant_tables__are_read_right_or_asked_with_commands_that_work(case, tmp_path, monkeypatch):
    kind, text, means = case
    monkeypatch.chdir(tmp_path)
    name = "t.txt" if " " in text.partition(",")[0] or text.startswith("(") else "t.csv"
    (tmp_path / name).write_text(text, encoding="utf-8")
    read, say = READERS[kind]
    if isinstance(means, list):
        found = say(read(name))
        assert same(kind, found, means), found
        return
    words, values = means
    with pytest.raises(ParseError, match=words) as caught:
        read(name)
    calls = CALL.findall(str(caught.value))
    assert len(calls) == len(values), calls
    for (function, arguments), wanted in zip(calls, values, strict=True):
        reader, tell = READERS[function]
        found = tell(eval(f"read{arguments}", {"read": reader}))
        assert same(function, found, wanted), (function, arguments, found)


# ---------------------------------------------------------------------- what people mean, whatever they call it


def table(header, *rows, mark=","):
    return "\n".join(mark.join(x) for x in (header.split(mark), *rows)) + "\n"


BASE = [("apple", "pear", "brick"), ("oak", "nail", "elm"), ("sun", "moon", "cup"), ("hen", "pig", "cow")]
NEARER = ["apple pear brick", "oak elm nail", "sun moon cup", "hen cow pig"]
OF_BASE = ["pear", "elm", "moon", "cow"]


def compared(header, answers, *, mark=";", first="{}"):
    """Comparisons of the first with the two others, under a header, with the nearer one told by these answers."""
    rows = [(first.format(x), *rest, said) for (x, *rest), said in zip(BASE, answers, strict=True)]
    return table(header, *rows, mark=mark)


def by_side(*sides):
    return [sides[k] for k in (0, 1, 0, 1)]


LINKS = ["a b must", "b c must", "a d cannot"]
MEANT = ["cat dog | eel", "dog wolf | cat"]
COUNTED = ["cat dog | eel x 7", "dog wolf | cat x 3"]
FILMS = [("w1", "Alien", "Heat", "Babe"), ("w1", "Jaws", "Big", "Clue"), ("w2", "Alien", "Jaws", "Clue")]
FILMS_MEANT = ["Alien Heat Babe", "Jaws Clue Big", "Alien Clue Jaws"]
OPTIONS = [("cat", "dog", "eel", "owl"), ("fox", "elk", "bee", "hen")]
OPTIONS_MEANT = ["cat dog eel", "cat dog owl", "fox hen elk", "fox hen bee"]
SIX = [("p1", "cat", "dog", "eel"), ("p1", "owl", "ant", "jay"), ("p1", "fox", "elk", "bee")]
SIX += [("p2", "cat", "dog", "owl"), ("p2", "elk", "bee", "ant"), ("p2", "jay", "fox", "eel")]
SIX_NEARER = ["cat dog eel", "owl jay ant", "fox bee elk", "cat owl dog", "elk bee ant", "jay fox eel"]
#: A reader, a text, and what it means: another reader, perhaps, and the value.
MEANINGS = [
    # what children do
    *(
        ("read_comparisons", compared(f"sample,left,right,{did}", OF_BASE, mark=","), "read_comparisons", NEARER)
        for did in ("touched", "pointed_to", "looked at", "picked")
    ),
    # an anchor and two sides in other languages
    *(
        ("read_comparisons", compared(header, answers), "read_comparisons", NEARER)
        for header, answers in [
            ("Ziel;Links;Rechts;Antwort", OF_BASE),
            ("Ziel;Links;Rechts;Antwort", by_side("links", "rechts")),
            ("cible;choix_gauche;choix_droite;reponse", by_side("gauche", "droite")),
            ("Zielbild;Bild_links;Bild_rechts;Wahl", by_side("L", "R")),
            ("cible;gauche;droite;réponse", by_side("G", "D")),
            ("estímulo;opción_izquierda;opción_derecha;elección", OF_BASE),
            ("wzorzec;lewa;prawa;wybór", by_side("lewa", "prawa")),
            ("образец;левый;правый;ответ", by_side("левый", "правый")),
            ("alvo;esquerda;direita;resposta", by_side("esquerda", "direita")),
            ("mål;vänster;höger;svar", by_side("vänster", "höger")),
            ("ターゲット;左;右;回答", by_side("左", "右")),
            ("Referenzwort;Wort_A;Wort_B;Entscheidung", OF_BASE),
            ("mot_cible;mot1;mot2;réponse", by_side("1", "2")),
            ("kohde;vasen;oikea;vastaus", OF_BASE),
        ]
    ),
    # keys
    *(
        ("read_comparisons", compared(header, by_side(*keys), mark=","), "read_comparisons", NEARER)
        for header in ["target,left,right,key", "anchor,left_image,right_image,response"]
        for keys in [
            "fj",
            "al",
            "jl",
            "01",
            ("ArrowLeft", "ArrowRight"),
            ("37", "39"),
            ("KeyF", "KeyJ"),
            ("left", "right"),
        ]
    ),
    *(
        ("read_answers", table(header, *[(*x, y) for x, y in zip(BASE[:3], keys, strict=True)]), "read_answers", odd)
        for header, keys, odd in [
            ("left,middle,right,key", "jlk", ["apple", "elm", "moon"]),
            ("left,middle,right,key", "lkl", ["brick", "nail", "cup"]),
            ("left,center,right,response", ("ArrowLeft", "ArrowRight", "ArrowDown"), ["apple", "elm", "moon"]),
        ]
    ),
    # lists of pairs
    *(
        ("read_pairs", text, "read_pairs", LINKS)
        for text in [
            '{"must_link": [["a","b"],["b","c"]], "cannot_link": [["a","d"]]}',
            '{"ML": [["a","b"],["b","c"]], "CL": [["a","d"]], "n": 4}',
            '{\n"mustLinkConstraints": [["a","b"],["b","c"]],\n"cannotLinkConstraints": [["a","d"]]\n}',
            '{"same": [{"a":"a","b":"b"},{"a":"b","b":"c"}], "different": [{"a":"a","b":"d"}]}',
            '{"constraints": [["a","b","ML"],["b","c","ML"],["a","d","CL"]]}',
            '[["a","b","must"],["b","c","must"],["a","d","cannot"]]',
        ]
    ),
    # the two alike in one cell, and trees of genes
    *(
        ("read_triplets", f"{header}\n{rows}", "read_triplets", value)
        for header, rows, value in [
            ("pair,odd", "cat+dog,eel\ndog+wolf,cat\n", MEANT),
            ("similar,odd", "cat-dog,eel\ndog-wolf,cat\n", MEANT),
            ("odd;similar_pair", "eel;cat/dog\ncat;dog/wolf\n", MEANT),
            ("two_alike;odd_one_out", "cat and dog;eel\ndog and wolf;cat\n", MEANT),
            ("gene_tree,outgroup,sister", "g1,eel,cat dog\ng2,cat,dog wolf\n", MEANT),
            ("gene_tree,outgroup,sister", "g1,eel,cat|dog\ng2,cat,dog|wolf\n", MEANT),
            ("triplet,outgroup,count", "cat_dog_eel,eel,7\ncat_dog_wolf,cat,3\n", COUNTED),
            ("gene_tree,sister1,sister2,outgroup", "g1,cat,dog,eel\ng2,dog,wolf,cat\n", MEANT),
            ("species1,species2,outgroup,frequency", "cat,dog,eel,7\ndog,wolf,cat,3\n", COUNTED),
            ("species1;species2;outgroup;n_genes", "cat;dog;eel;7\ndog;wolf;cat;3\n", COUNTED),
            (
                "taxon1,taxon2,taxon3,topology,count",
                'cat,dog,eel,"((cat,dog),eel)",7\ndog,wolf,cat,"((dog,wolf),cat)",3\n',
                COUNTED,
            ),
        ]
    ),
    # two that are called 1 and 2 beside one that is called 0, and links that people gave
    *(
        (reader, table("workerId,movie0,movie1,movie2,answer", *rows), "read_comparisons", FILMS_MEANT)
        for reader in READERS
        for rows in (
            [(*x, y) for x, y in zip(FILMS, said, strict=True)] for said in (["Heat", "Clue", "Clue"], ["1", "2", "2"])
        )
    ),
    *(
        (reader, f"{header}\nx,a,b,{yes}\nx,b,c,{yes}\ny,a,d,{no}\n", "read_pairs", LINKS)
        for reader in READERS
        for header, yes, no in [
            ("rater,item_a,item_b,judgment", "same", "different"),
            ("coder,doc_a,doc_b,decision", "yes", "no"),
            ("judge,left_text,right_text,verdict", "same", "different"),
        ]
    ),
    # three options
    *(
        (
            reader,
            table(header, *[(*x, y) for x, y in zip(OPTIONS, said, strict=True)]),
            "read_comparisons",
            OPTIONS_MEANT,
        )
        for reader in ("read_answers", "read_comparisons", "read_triplets")
        for header, said in [
            ("anchor,option1,option2,option3,choice", ("dog", "hen")),
            ("query,A,B,C,answer", "AC"),
            ("reference,opt_a,opt_b,opt_c,most_similar", "13"),
        ]
    ),
    # two columns that may have the answer, and few rows
    *(
        (reader, compared("target,left,right,answer,response", by, mark=","), "read_comparisons", NEARER)
        for by in [[f"{x},{y}" for x, y in zip(OF_BASE, ["brick", "elm", "moon", "cow"], strict=True)]]
        for reader in ("read_answers", "read_comparisons", "read_triplets")
    ),
    *(
        (
            reader,
            table("who,a,b,c,choice", *[(*x, y) for x, y in zip(SIX, said, strict=True)]),
            "read_comparisons",
            SIX_NEARER,
        )
        for reader in ("read_answers", "read_comparisons", "read_triplets")
        for said in (["dog", "jay", "bee", "owl", "bee", "fox"], "233322", "bcccbb")
    ),
    # questions in cells
    *(
        (reader, compared(header, said, first=asks), "read_comparisons", NEARER)
        for header, asks, said in [
            ("question;left;right;answer", "which is most similar to {}?", OF_BASE),
            ("question;option1;option2;choice", "Which is more similar to {}?", by_side("1", "2")),
            ("prompt;a;b;answer", "Is {} more like...", OF_BASE),
            ("prompt;left;right;answer", "Does {} go better with the left one?", by_side("left", "right")),
            ("Frage;links;rechts;Antwort", "Was ist ähnlicher zu {}?", by_side("links", "rechts")),
            ("consigne;gauche;droite;réponse", "Lequel ressemble le plus à {} ?", OF_BASE),
            ("question;left;right;answer", "Which is less like {}?", [*reversed(by_side("left", "right"))]),
        ]
        for reader in ("read_answers", "read_comparisons")
    ),
    (
        "read_comparisons",
        compared("prompt;left;right;answer", by_side("left", "right"), first="And what about the {}?"),
        "read_comparisons",
        NEARER,
    ),
    (
        "read_comparisons",
        table(
            "question,answer",
            *[(f"Is {a} more like {b} or {c}?", x) for (a, b, c), x in zip(BASE, OF_BASE, strict=True)],
        ),
        "read_comparisons",
        NEARER,
    ),
    (
        "read_answers",
        table("question;answer", *[(f"Which is the odd one: {a}, {b} or {c}?", c) for a, b, c in BASE], mark=";"),
        "read_answers",
        ["brick", "elm", "cup", "cow"],
    ),
]


@pytest.mark.parametrize("case", MEANINGS, ids=lambda case: f"{name_of(case)} {case[1][-9:]!r}")
def test_meant_tables__are_read_as_meant_or_asked_with_the_command_that_does(case, tmp_path, monkeypatch):
    """A reader gives the value, or an error whose printed commands run, until one of them gives it."""
    kind, text, means, value = case
    monkeypatch.chdir(tmp_path)
    name = "t.json" if text[0] in "{[" else "t.csv"
    (tmp_path / name).write_text(text, encoding="utf-8")
    found, error = [], ""
    try:
        found.append((kind, READERS[kind][1](READERS[kind][0](name))))
    except ParseError as refused:
        error = str(refused)
        found += [(x, READERS[x][1](eval(f"read{y}", {"read": READERS[x][0]}))) for x, y in CALL.findall(error)]
    assert any(x == means and same(means, sorted(y), sorted(value)) for x, y in found), (found, error)


@pytest.mark.parametrize("none", ["0", "-1", "#", "", "null"])
@pytest.mark.parametrize("json", [False, True])
def test_meant_tables__the_parent_of_a_root_is_no_node(tmp_path, monkeypatch, none, json):
    """Programs write 0, -1 or # above a root. Among numbers 0 may be a node, as ids may begin there."""
    rows = [("animal", none), ("cat", "animal"), ("pet", "cat"), ("lynx", "cat"), ("cow", "animal")]
    objects = ",".join(f'{{"id": "{a}", "parent": "{b}"}}' for a, b in rows)
    (tmp_path / "t.txt").write_text(f"[{objects}]" if json else table("id,parent", *rows), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert tt.write_newick(tt.read_hierarchy("t.txt"), lengths=False) == "((pet,lynx)cat,cow)animal;"
    assert tt.write_newick(tt.read_hierarchy(io.StringIO("child,parent\n1,0\n2,0\n3,1\n4,1\n"))) == "(2,(3,4)1)0;"


@pytest.mark.parametrize(
    ("name", "cells", "only"),
    [
        ("catch", "0100", "only='not catch'"),
        ("is catch", ["False", "True", "False", "False"], "only='not `is catch`'"),
        ("trial_type", ["main", "catch", "main", "main"], "only=\"trial_type != 'catch'\""),
        ("phase", ["practice", "test", "test", "test"], "only=\"phase != 'practice'\""),
    ],
)
def test_meant_tables__catch_trials_are_told_with_the_condition_that_leaves_them_out(name, cells, only):
    rows = [(*x, x[0], y) for x, y in zip(BASE, cells, strict=True)]
    text = table(f"item1,item2,item3,odd,{name}", *rows)
    found = read_answers(io.StringIO(text))
    assert only in found.reading
    assert len(read_answers(io.StringIO(text), only=eval(only.removeprefix("only=")))) == 3
    assert "only=" not in read_answers(io.StringIO(text), only=eval(only.removeprefix("only="))).reading
