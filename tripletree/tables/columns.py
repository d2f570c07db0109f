"""What the columns of a table are called, and what their cells mean: one list of names for every reader of tables.

A reader asks a `Role` for the column that plays it, of a table (`tripletree.tables.rows.RowTable`). Words for
no value are in `tripletree.core.labels`, words for links in `tripletree.io.pairs`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

from tripletree.core.checks import column_names
from tripletree.tables.cells import cell_of, cell_text, column_word, is_number, words_in
from tripletree.tables.rows import RowTable, table_of

# ---------------------------------------------------------------------- ids


_ID_WORDS = (
    "id|ids|index|idx|label|labels|name|names|sample|samples|uid|uuid|guid|identifier|key|accession|accessions|barcode|"
    "sku|ean|isbn|asin|doi|taxid|tax_id|taxon_id|entrez|entrezgene|entrez_gene|ensembl|ensembl_gene|gene|symbol|"
    "row|rows|rowid|row_names|rownames|row_number|otu|asv|feature_id|id_ref|record|rec|specimen|"
    "plot|site|quadrat|station|transect|participant|subject|subj|sub|pid|ppid|vp|vpn|vp_nr|respondent|case|patient|"
    "customer|client|user|worker|rater|employee|student|no|nr|lfd_nr|lfdnr|fid|oid|gid|tsn|aphia|orcid|"
    "mrn|ssn|nhs|nhs_number|imei|vin|pmid|iban|matrikel"
)
_ID_BEFORE = (
    "customer|client|user|person|people|patient|subject|participant|student|employee|member|respondent|worker|case|"
    "gene|protein|transcript|otu|asv|sample|specimen|record|rec|tax|taxon|species|strain|item|product|order|article|"
    "object|image|img|file|doc|document|cell|probe|plot|site|station|track|song|movie|film|book|shop|store|account|"
    "transaction|device|animal|plant|compound|mol|molecule|entry|node|leaf|row|tree|nest|ring|catalog|catalogue|invoice|"
    "bill|ticket|serial|case|vp|subj|sub|lfd|entrez|aphia|gbif|ncbi|tsn|collection|voucher|museum|field|lab"
)
_ID = re.compile(
    rf"|{_ID_WORDS}|(?:.*_)?(?:id|ids|uuid|guid|accession|sku|barcode|taxid)|(?:{_ID_BEFORE})(?:ids?|no|nr|num|number|code|key)"
    rf"|(?:{_ID_BEFORE})_(?:no|nr|num|number|code|key|name|label)|unnamed:_?\d+(?:_.*)?|level_\d+|x\.?1?_index"
    r"|(?:.*_)?(?:nr|[^\W\d_]{4,}nr)|\w*(?:nummer|kennung|kennziffer)|(?:code_)?postal(?:_code)?|postcode|post_code|zip|zipcode|zip_code|plz|postleitzahl"
)
_WHOLE = re.compile(r"[-+]?\d+", re.ASCII)
#: The characters of a column's name that are looked at. A longer one is a text.
_LONGEST = 1000


@lru_cache(1 << 15)
def words_of(name: str) -> str:
    """The words of a column's name, in lower case with underscores: ``CustomerID`` and ``#OTU ID``, too."""
    name = name[:_LONGEST].strip().lstrip("#").strip()
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"_+", "_", column_word(apart).replace(".", "_")).strip("_")


#: Of numbers that say how alike or how far two are, and of other numbers about a row.
_PROXIMITY = (
    r"dist|dists|distances?|distanz|abstand|distancia|dissimilarit(?:y|ies)|dissim|scores?|similarit(?:y|ies)|sim|ähnlichkeit"
    r"|aehnlichkeit|similarité|similarite|similitud|corr|cor|correlation|korrelation|kinship|jaccard|cosine|rmsd"
    r"|hamming|levenshtein|manhattan|euclid(?:ean)?|haversine|jaro(?:_?winkler)?|tanimoto|dice|overlap|edits?|edit_distance"
    r"|bray_?curtis|unifrac|mash|ani|mahalanobis|km|error|err"
)
_P_VALUE = r"(?:[pqe]_?val(?:ue)?|fdr|p_?adj)"
MEASURE = re.compile(
    rf"(?:.*_)?(?:{_PROXIMITY}|weights?|gewicht|poids|ratings?|confidence|konfidenz|confiance|counts?|n|identity"
    rf"|{_P_VALUE})"
)
DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?:[ T].*)?|\d\d?[./]\d\d?[./]\d{2,4}(?: .*)?|\d\d?:\d\d(?::\d\d)?")
#: What differs between labels of one series: item7 and item12, a and b.
SHAPE = re.compile(r"\d+|\A\w\Z")


def is_proximity(name: Any) -> bool:
    """True if a column is called like numbers that say how alike or how far two are, and like no probability."""
    return re.fullmatch(rf"(?:.*_)?(?:{_PROXIMITY})", words_of(str(name))) is not None and not PROBABILITY.among([name])


_FAR_APART = re.compile(
    r"(?:.*_)?(?:dist\w*|distan[cz]\w*|abstand|dissim\w*|levenshtein|hamming|edits?|edit_distance|rmsd|manhattan|km|err\w*"
    r"|euclid(?:ean)?|haversine|mahalanobis|unifrac|bray_?curtis|mash)"
)
_NEAR_BY = re.compile(
    r"(?:.*_)?(?:sim|simil\w*|similarity|ähnlichkeit|aehnlichkeit|scores?|corr?|correlation|identity|ani)"
)


def is_distance(name: str) -> bool | None:
    """True if a column is called like numbers that are small where two are alike, False if they are high there."""
    words = words_of(name)
    return True if _FAR_APART.fullmatch(words) else False if _NEAR_BY.fullmatch(words) else None


def is_measure(name: Any) -> bool:
    """True if a column is called like numbers that are not links: a distance, a score, a p value."""
    return is_proximity(name) or re.fullmatch(rf"(?:.*_)?{_P_VALUE}", words_of(str(name))) is not None


def alike_columns(table: RowTable, are_codes: Callable[[set[str]], bool]) -> list[list[str]]:
    """Return groups of two or more columns that share their vocabulary, as columns of items do.

    Parameters
    ----------
    table : RowTable
        With names.
    are_codes : callable
        Tells of the cells of a column whether they are codes, such as yes and no, and no items.
    """
    words: dict[str, set[str]] = {}
    for k, name in enumerate(table.names or ()):
        cells = {*table.head(k)} - {""}
        numbers = sum(map(is_number, cells)) == len(cells)
        decimals = numbers and not all(map(_WHOLE.fullmatch, cells))
        people, dates = WHO.among([name]) or WHEN.among([name]), all(map(DATE.fullmatch, cells))
        one = len(cells) == 1 and len(table.lines) > 2
        counts = numbers and is_called_id(name) and not is_name("", table.texts(k))  # type: ignore[arg-type]
        measures = decimals or counts or (numbers and MEASURE.fullmatch(words_of(name)))
        if cells and not (measures or people or dates or one or are_codes(cells)):
            words[name] = cells if numbers else cells | {y for x in cells if (y := SHAPE.sub("\0", x)) != x}
    groups: list[list[str]] = []
    vocabulary: list[set[str]] = []  # of each group
    having: dict[str, list[int]] = {}  # the groups that have a word
    for name, own in words.items():
        common = Counter(g for x in own for g in having.get(x, ()))
        fits = (g for g in sorted(common) if 5 * common[g] >= min(len(own), len(vocabulary[g])))
        g = next(fits, len(groups))
        if g == len(groups):
            groups.append([])
            vocabulary.append(set())
        for x in own - vocabulary[g]:
            having.setdefault(x, []).append(g)
        groups[g].append(name)
        vocabulary[g] |= own
    return [x for x in groups if len(x) > 1]


def is_called_id(name: str) -> bool:
    """True if a column is called like one that names its rows: id, CustomerID, ``Unnamed: 0``, ``#OTU ID``, taxid."""
    if name.strip() == "...1":  # a column without a name, as readr calls it
        return True
    return _ID.fullmatch(words_of(name)) is not None or _ID.fullmatch(column_word(name)) is not None


def can_be_ids(cells: Sequence[str]) -> bool:
    """True if the cells of a column could name its rows: all different, and whole numbers or texts."""
    if len(set(cells)) < len(cells) or not all(cells):
        return False
    return all(map(_WHOLE.fullmatch, cells)) or not any(map(is_number, cells))


def ids_among(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns that are called ids and can be such, one that only counts the rows last."""
    found = [x for x in columns if (is_called_id(x) or _are_rows_of_r(x, columns)) and can_be_ids(columns[x])]
    return sorted(found, key=lambda x: not is_name(x, columns[x]))


def ids_of_frame(frame: Any) -> list[str]:
    """The columns of a data frame that are called ids and can be such."""
    called = [x for x in column_names(frame) or () if isinstance(x, str) and (is_called_id(x) or x in ("X", "Y"))]
    cells = table_of({x: frame[x] for x in called}, cell=lambda x: cell_text(cell_of(x)) or "").columns
    return ids_among(dict(zip(called, cells, strict=True)))


def _are_rows_of_r(name: str, columns: Mapping[str, Sequence[str]]) -> bool:
    """True for the numbers of rows that R wrote without a name and read as X, but not for a place (X, Y)."""
    return name == "X" and "Y" not in columns and not is_name("", columns[name])


def is_name(name: str, cells: Sequence[str]) -> bool:
    """False for a column without a name that counts the rows from 0 or 1, as pandas and spreadsheets write it."""
    nameless = re.fullmatch(
        r"|\d+|nr|lfd_?nr|index|unnamed:_?\d+(?:_.*)?|level_\d+|row_?(?:no|nr|num|number)?", words_of(name)
    )
    first = cells[0] if cells else ""
    return not (nameless and first in ("0", "1") and list(cells) == [str(int(first) + k) for k in range(len(cells))])


# ---------------------------------------------------------------------- roles


def plain(name: Any) -> str:
    """The name of a column in lower case without blanks, dashes, underscores, ``#`` and a prefix such as ``dwc:``.

    A dot before an id goes, too: ``Participant.ID``.
    """
    return _plain(str(name))


@lru_cache(1 << 15)
def _plain(name: str) -> str:
    return re.sub(r"[\s_#-]|\.(?=id$)", "", name[:_LONGEST].lower()).rsplit(":", 1)[-1]


#: Words for things that are shown, at the begin or the end of a column's name.
_THING = re.compile(
    r"^(?:image|imagen|img|picture|pic|photo|foto|item|word|mot|palabra|parola|woord|stim(?:ulus)?|bild|object|movie)_"
    r"|_?(?:image|img|picture|pic|photo|foto|item|word|stim(?:ulus)?|object|movie|bild|wort|reiz|objekt|begriff|woord)$"
)


@dataclass(frozen=True)
class Role:
    """The part that a column plays.

    Parameters
    ----------
    option : str
        How readers call it.
    what : str
        What the column holds, for messages.
    names : tuple of str
        Names under which it is known, as `plain` writes them. The first that occurs once counts if `ranked`.
    ranked : bool
    alone : tuple of str
        Some of the names, under which a column is known if no other one is called so.
    is_answer : bool
        Whether the last word behind a point counts, too (player.answer, Slide1.RESP), if there is no better name.
    of_things : bool
        Whether a word for a thing may stand before or behind a name (target_image, Zielbild).
    """

    option: str
    what: str
    names: tuple[str, ...]
    ranked: bool = False
    alone: tuple[str, ...] = ()
    is_answer: bool = False
    of_things: bool = False

    def calls(self, name: Any) -> str | None:
        """The name of `names` by which a column is called, perhaps with a word for a thing: target_image, Zielbild."""
        word = plain(name)
        if word in self.names or not self.of_things:
            return word if word in self.names else None
        found = _THING.sub("", words_of(str(name)), count=1).replace("_", "")
        return found if found in self.names and len(found) > 1 else None

    def among(self, header: Iterable[str]) -> list[str]:
        """The columns that are called so, the best names first."""
        found = [x for x in header if self.calls(x)]
        if self.is_answer:
            found = [x for x in found if plain(x) not in self.alone] or found
            found = found or [x for x in header if plain(str(x).rpartition(".")[2]) in self.names]
        return sorted(found, key=lambda x: self.names.index(plain(x))) if self.ranked else found

    def place(self, table: RowTable, given: str | int | None = None, taken: Collection[int | None] = ()) -> int | None:
        """Return the place of the column that is given, else of a free one with a usual name, or None."""
        if given is not None:
            return table.place(given, self.option)
        at: dict[str, list[int]] = {}
        for k, name in enumerate(table.names or ()):
            if k not in taken and plain(name) in self.names:
                at.setdefault(plain(name), []).append(k)
        if self.ranked:
            return next((at[x][0] for x in self.names if len(at.get(x, ())) == 1), None)
        at = {x: places for x, places in at.items() if x not in self.alone} or at
        found = [k for places in at.values() for k in places]
        if len(found) > 1:
            could = " or ".join(f"{self.option}={table.names[k]!r}" for k in sorted(found))  # type: ignore[index]
            msg = f"which column holds {self.what}? Give {could}"
            raise table.refusal(msg)
        return found[0] if found else None


_PEOPLE = words_in(
    "who person participant annotator worker rater respondent subject user judge observer session coder expert subj "
    "sub vp ppt pp proband probandin versuchsperson deelnemer proefpersoon partecipante deltagare uczestnik osoba "
    "участник 参加者 被験者 teilnehmer teilnehmerin sujet participante sujeto labeler labeller ppn informant"
)
#: Names of columns that tell people apart, if their cells repeat and no column has a better name.
MAYBE_WHO = frozenset(
    words_in(
        "id name code initials kürzel uid uuid token alias nickname pseudonym pseudonyme nom nombre ip ipaddress run "
        "runid device deviceid account login observation hash browserid visitor visitorid clientid respid"
    )
)
#: A person with a number or letter: P1, Vp01, Rater A.
_ONE_PERSON = re.compile(rf"({'|'.join({*_PEOPLE, *words_in('p s ss vpn tn')} - {'session'})})(?:_?\d+|_[a-z])")


def are_people(names: Iterable[str]) -> bool:
    """True if columns are called like numbered people, all in one way."""
    found = [_ONE_PERSON.fullmatch(words_of(x)) for x in names]
    return all(found) and len({x[1] for x in found if x}) == 1


WHO = Role(
    "who",
    "the person",
    (
        *(f"{x}{end}" for end in ("", "id", "no", "nr", "number", "code", "name") for x in _PEOPLE),
        *words_in(
            "wer qui quien chi vpcode vpnummer vpnnr probandennr teilnehmernr kennung personencode responseid "
            "prolificpid prolificid pid ppid vpn email emailaddress yourname fullname userid randomid sonaid "
            "participantprivateid participantpublicid participant.code url.subject subject.id"
        ),
    ),
    alone=("session", "sessionid", "participantpublicid", "randomid", "responseid"),
)
WHEN = Role(
    "when",
    "the time",
    words_in(
        "when timestamp datetime answeredat createdat submittedat recordeddate time date zeitstempel zeitpunkt datum "
        "uhrzeit utcdate localdate submitdate horodateur fecha"
    ),
    ranked=True,
)
#: Names of the response time, and how many of its unit make a second.
SECONDS_NAMES = {
    **dict.fromkeys(("seconds", "rts", "rtseconds", "responsetimes", "reactiontimes", "responseseconds"), 1.0),
    **dict.fromkeys(("milliseconds", "ms", "rtms", "responsetimems", "reactiontimems"), 1000.0),
}
SECONDS = Role("seconds", "the response time", tuple(SECONDS_NAMES))
#: The answer where its name says that it is the odd one, and else.
ODD = Role(
    "odd",
    "the odd one",
    words_in(
        "odd oddoneout oddone odditem oddindex oddball außenseiter aussenseiter ausreißer ausreisser intrus intruso "
        "intrusa intruder outlier misfit passtnicht gehörtnichtdazu gehoertnichtdazu notbelonging doesnotbelong "
        "doesntbelong doesnotfit doesntfit leastsimilar leastalike"
    ),
    is_answer=True,
)
_KEYS = ("key", "taste", "keypress", "pressedkey", "keypressed", "responsekey")
ANSWER = Role(
    "answer",
    "the answer",
    (
        *_KEYS,
        *words_in(
            "answer response choice chosen selected selection selectedanswer selecteditem pick picked resp reply "
            "decision judgement judgment touched tapped pointedto picked lookedat "
            "clicked clickedname keyresp.keys mouse.clickedname buttonpressed "
            "selectedoption choicemade useranswer givenanswer selectedindex chosenindex answerindex responseindex "
            "choiceindex buttonindex antwort auswahl wahl gewählt gewaehlt reaktion réponse reponse choix respuesta "
            "elección eleccion risposta scelta entscheidung resposta escolha antwoord keuze svar odpowiedź odpowiedz "
            "wybór ответ выбор cevap yanıt seçim 回答 選択 答案 选择"
        ),
    ),
    alone=_KEYS,
    is_answer=True,
)
REPLY = Role("odd", "the answer", (*ODD.names, *ANSWER.names), alone=_KEYS, is_answer=True)
#: How often an answer was given, or a triplet was said.
COUNT = Role(
    "weight",
    "the weights",
    words_in(
        "count counts n freq frequency votes nvotes numvotes numberofvotes repetitions reps nanswers nresponses nobs "
        "npeople nsubjects nraters anzahl häufigkeit haeufigkeit stimmen weight weights gewicht nombre effectif "
        "support ngenes ntrees ngenetrees genetreecount"
    ),
)


def asides(names: Sequence[str], *, counts: bool = False) -> set[int]:
    """The places of the columns of people and times, and, with `counts`, of how often something was said."""
    roles = (WHO, WHEN, SECONDS, COUNT) if counts else (WHO, WHEN, SECONDS)
    called = {x for role in roles for x in role.among(names)}
    return {k for k, x in enumerate(names) if x in called}


_ASIDE_NAMES = re.compile(
    r"(?:response|reaction)?_?times?(?:_?(?:ms|s|sec|seconds))?|rts?(?:_?(?:ms|s|sec))?|latency|duration|key_?(?:s|press|code)?"
    r"|(?:is_?)?(?:correct|accuracy|acc|error|errors|score|valid)(?:_?(?:answer|response|resp|key|item|choice))?"
    r"|corr(?:ect)?_?ans(?:wer)?|points|trials?(?:_?(?:no|nr|num|number|index|id|n|count|type|name|order))?|no|nr|number"
    r"|(?:this)?n|index|row|line|order|block|blocks|session|sessions|run|round|list|set|part|phase|practice|catch"
    r"|task|condition|cond|version|experiment|exp|study|age|alter|gender|sex|geschlecht|language|lang|sprache|country"
    r"|gene_?trees?|locus|loci|replicate|hand(?:edness)?|browser|os|device|platform|confidence|conf|sicherheit|rating|comment|comments|kommentar|note|notes"
    r"|time_?elapsed|trial_?time|date|group|condition_?id|durchgang|richtig|reaktionszeit"
)


_RIGHT = re.compile(
    r"(?:is_?)?(?:correct|gold|golden|truth|true|ground_?truth|expected|solution|richtig|corr(?:ect)?_?ans)"
    r"(?:_?(?:odd|answer|response|resp|choice|item|label|one|key|standard))?"
)


def is_right(name: str) -> bool:
    """True if a column is called the right answers, which nobody gave."""
    return _RIGHT.fullmatch(words_of(name)) is not None


def is_aside(name: str) -> bool:
    """True if a column is called like what is written beside items: answers, people, times, numbers of trials, ..."""
    known = (*REPLY.names, *WHO.names, *WHEN.names, *SECONDS.names, *COUNT.names)
    words = words_of(name)
    if words in SIDES or words == "target":
        return False
    called = is_called_id(name) and words != "label"
    return plain(name) in known or called or is_right(name) or _ASIDE_NAMES.fullmatch(words) is not None


#: What two others are compared with. The words of the second line name other things as well.
ANCHOR = Role(
    "anchor",
    "the anchor",
    words_in(
        "anchor reference ref query target probe standard head cue ziel referenz cible référence referencia objetivo "
        "riferimento alvo referência doel referentie mål referens wzorzec образец 目标 目標 ターゲット center centre "
        "top x sample stimulus base main prompt reiz vorlage mitte oben modèle modelo modello muestra campione "
        "estímulo estimulo stimolo cel цель эталон 見本"
    ),
    of_things=True,
)
_SURE_ANCHORS = frozenset(ANCHOR.names[: ANCHOR.names.index("center")])
#: Of tables of edges: parents whatever children are called, and children where there are several columns besides.
PARENT = Role(
    "parent_column",
    "the parents",
    words_in(
        "parent parentid parentname parentcode parentkey parentcategory parentcategoryid parentnode parentterm "
        "parenttaxon parentuuid broader broaderterm hypernym subclassof ispartof manager managerid managername "
        "supervisor boss reportsto vorgesetzter vorgesetzte oberbegriff übergeordnet übergeordneteid überbegriff "
        "elternknoten eltern elternteil elternid parentnodeid padre idpadre père responsable supérieur supervisore "
        "genitore superior jefe ouder rodzic oberkonto oberkategorie obergruppe parentgroup parentunit parentaccount"
    ),
)
CHILD = Role(
    "child_column",
    "the children",
    words_in(
        "child childid narrower narrowerterm hyponym subclass unterbegriff employee employeeid mitarbeiter kind enfant "
        "hijo figlio id code nodeid node termid term category categoryid uuid item itemid concept conceptid notation "
        "name"
    ),
    ranked=True,
)
#: Of nested sets: the bounds of a node hold those of all nodes below it. The last name of either may be anything else.
_LOWER = words_in("lft lft nleft treeleft leftbound lowerbound leftvalue leftid lb left")
_UPPER = words_in("rgt rght nright treeright rightbound upperbound rightvalue rightid rb right")
#: Of an animal or a person, whose two parents are no two levels.
_TWO_PARENTS = tuple(
    words_in(x)
    for x in (
        "father mother",
        "fatherid motherid",
        "sire dam",
        "sireid damid",
        "pat mat",
        "patid matid",
        "vater mutter",
        "père mère",
        "pere mere",
        "padre madre",
        "pai mãe",
        "dad mom",
        "dadid momid",
        "parent1 parent2",
        "parenta parentb",
        "parent1id parent2id",
        "femaleparent maleparent",
        "seedparent pollenparent",
    )
)
#: The accepted name of a row, or its id: of Darwin Core, ITIS, GBIF, WoRMS and others. And whether the row has one.
ACCEPTED = Role(
    "accepted",
    "the accepted taxa",
    words_in(
        "acceptednameusageid acceptedtsn tsnaccepted acceptedtaxonid acceptedid acceptedkey acceptedtaxonkey "
        "acceptedusagekey acceptednameid aphiaidaccepted validaphiaid validid validtaxonid validtsn "
        "acceptedplantnameid acceptedspeciesid acceptednameusage acceptedname acceptedscientificname validname"
    ),
    ranked=True,
)
STATUS = Role(
    "status",
    "the states of names",
    words_in("taxonomicstatus status nameusage usage taxonstatus unacceptstatus"),
    ranked=True,
)
NODE_NAME = Role("name_column", "the names", ("name", "label", "scientificname", "title"), ranked=True)
LENGTH = Role("length_column", "the lengths", ("length", "branchlength", "edgelength"), ranked=True)
RANK = Role("rank_column", "the ranks", ("rank", "taxonrank"), ranked=True)
RELATION = Role(
    "relation_column",
    "the relations",
    words_in(
        "relation predicate pred p relationship relationtype rel property edgetype prädikat verb beziehung relación"
        " type"
    ),
    ranked=True,
)
#: Of a column that holds whole paths, and of one that holds the items below them.
PATH = Role(
    "columns",
    "the paths",
    words_in(
        "taxon taxonomy lineage classification taxonomiclineage consensuslineage taxpath cladename path categorypath "
        "breadcrumb breadcrumbs kategoriepfad googleproductcategory"
    ),
)
PATH_ITEM = Role(
    "id_column",
    "the items",
    words_in(
        "featureid otuid asvid sequenceid sampleid id otu asv feature sample usergenome query queryid contig sequence "
        "seqid read readid genome bin mag productid sku"
    ),
)
#: Of items, and of the nodes that they belong to.
ITEM = Role(
    "item",
    "the items",
    words_in(
        "item sample object gene geneid genename protein symbol accession name id label instance key leaf query cell "
        "cellid barcode image file document specimen individual synonym"
    ),
)
NODE = Role(
    "node",
    "their nodes",
    words_in(
        "node nodes term terms termid go gos goid goids goterm goterms class category taxon taxid taxonid species "
        "parent annotation annotations ontology ontologyid label type celltype kind group cluster topic accepted "
        "acceptedname acceptedtaxon validname currentname"
    ),
)
#: Of columns of classes.
CLASS_NAMES = frozenset(
    {"class", "classes", "group", "cluster", "clusterid", "category", "celltype", "diagnosis", "target"}
)
_CHOSEN = ("chosen", "selected", "picked", "preferred", "gewählt", "gewaehlt", "ausgewählt", "choisi", "elegido")
#: Names of two columns: the first is the nearer one.
NEAR_FAR = (
    *(("near", "far"), ("positive", "negative"), ("pos", "neg"), ("winner", "loser"), ("closer", "farther")),
    *(("moresimilar", "lesssimilar"), ("similar", "dissimilar"), ("nearer", "farther"), ("closer", "further")),
    *((near, far) for near in ("nearest", "closest") for far in ("farthest", "furthest")),
    *(("better", "worse"), ("winning", "losing"), ("match", "foil"), ("mostsimilar", "leastsimilar")),
    *(("nah", "fern"), ("proche", "loin"), ("cerca", "lejos")),
    *((x, f"{no}{x}") for x in _CHOSEN for no in ("un", "not", "non", "nicht", "no")),
    *((x, "rejected") for x in _CHOSEN),
)
#: Places of things, and keys with arrows, in other words.
SIDES = {
    word: side
    for side, words in {
        "left": "left l links linkes linke gauche izquierda izquierdo sinistra sinistro esquerda esquerdo vänster "
        "lewa lewy левый левая слева lhs sol 左 左側",
        "right": "right r rechts rechtes rechte droite droit derecha derecho destra destro direita direito höger "
        "prawa prawy правый правая справа rhs sağ 右 右側",
        "middle": "middle center centre mitte mittleres milieu centro mid midden środek środkowy "
        "середина mitten 中 中央",
        "up": "up top upper oben haut arriba",
        "down": "down bottom lower unten bas abajo",
        "1": "first one erste",
        "2": "second two zweite",
        "3": "third three dritte",
    }.items()
    for word in words.split()
}
_SIDES = re.compile(
    rf"(?:(.*?)_?)([0-3abc]|{'|'.join(x for x in SIDES if SIDES[x] != 'middle' or x not in ANCHOR.names)})"
    r"(?:_?(image|img|item|word|pic|picture|photo|text|sentence|doc|object|bild|wort|stim|stimulus|(?:table_?|record_?|entity_?|unique_?|source_?)?(?:id|key))?)"
)


def _side(name: str) -> re.Match[str] | None:
    """What stands before, as and behind the side, number or letter of one of two, in the name of its column."""
    return _SIDES.fullmatch(words_of(name)) or _SIDES.fullmatch(column_word(name))


_ID_END = re.compile(r"(?:.*_)?(?:\w?id|uuid|key)")
_TWO = (("1", "2", "3"), ("a", "b", "c"), ("left", "right", "middle"), ("up", "down", "middle"), ("0", "1", "2"))


def _two_called(names: Iterable[Any], first: Sequence[str], second: Sequence[str]) -> tuple[int, int] | None:
    """The places of the one column that is called by a name of `first`, and the one by the like name of `second`."""
    words = list(map(plain, names))
    found = [(words.index(x), words.index(y)) for x, y in zip(first, second, strict=True) if x in words and y in words]
    return found[0] if len(found) == 1 else None


def bounds_in(
    names: Sequence[Any], rows: Iterable[Sequence[Any]] | None = None, *, head: bool = False
) -> tuple[int, int] | None:
    """The columns of the bounds of nested sets. If rows are given, columns called left and right have to hold bounds.

    In all rows, each number from the least to the greatest is a bound. Sides of boxes have gaps, and so may a `head`.
    """
    at = _two_called(names, _LOWER, _UPPER)
    if len(names) < 3 or at is None or rows is None or plain(names[at[0]]) not in _LOWER[-2:]:
        return at if len(names) > 2 else None
    cells = [[str(row[k]).strip() for k in at] for row in rows if len(row) > max(at)]
    if len(cells) < 3 or not all(map(_WHOLE.fullmatch, chain.from_iterable(cells))):
        return None
    spans = [(int(x), int(y)) for x, y in cells]
    bounds = sorted(chain.from_iterable(spans))
    different = len({*bounds}) == len(bounds) and all(x < y for x, y in spans)
    crossed = any(a < c < b < d for (a, b), (c, d) in pairwise(sorted(spans)))
    nested = any(c < b for (_, b), (c, _) in pairwise(sorted(spans)))
    numbered = nested and bounds[-1] - bounds[0] == len(bounds) - 1
    return at if different and not crossed and (numbered or head) else None


def two_parents(names: Sequence[Any]) -> tuple[int, int] | None:
    """The columns of the two parents of a pedigree, by their names."""
    return _two_called(names, *zip(*_TWO_PARENTS, strict=True))


#: The link of two samples, and the probability that they are the same, as programs for record linkage write it.
LINK = Role("link", "the link", ("link", "same", "match", "ismatch", "matched", "linked", "duplicate", "isduplicate"))
#: Names of a third column, above words for links.
LINK_KINDS = frozenset(
    words_in(
        "type kind verdict relation relationship constraint constrainttype linktype pairtype decision judgement "
        "judgment label status result answer response gold truth typ urteil art"
    )
)
PROBABILITY = Role(
    "link",
    "the probability of a match",
    ("matchprobability", "probability", "prob", "pmatch", "clericalmatchscore"),
    ranked=True,
)


_PROBABLE = {"probability", "probabilities", "prob", "proba", "wahrscheinlichkeit", "probabilité", "probabilidad"}
_ASIDE = (
    "pairs?|items?|records?|clusters?|class|classes|groups?|labels?|flag|status|gruppen?|gruppo|gruppi|grupo|grupa"
    "|groupe|groep|grupp|klasse|classe|clase|klass|grup"
)
_BEFORE = f"{_ASIDE}|is|are|was|were|be|in|the|a|an|of"
_ALIKE = (
    "same|similar|alike|match(?:es|ed|ing)?|link(?:s|ed)?|duplicates?|dup|equal|identical|together|joined|must|sameas"
    "|gleich[ers]{0,2}|selbe|derselbe|dieselbe|dasselbe|identisch|zusammen|duplikat|ähnlich|m[êe]me|pareil|identique|ensemble"
    "|verträglich|vereinbar|doublon|idem|équivalent|m[ie]sm[oa]|igual|idéntico|junt[oa]s|duplicado|stess[oa]|uguale|identico|insieme"
    "|(?:de|het)?zelfde|gelijk[e]?|samma|lika|(?:ten|ta|to)sam[ao]?|tak[ie]sam[aeoy]|aynı|ayni|одинаков[а-я]*|同じ|相同"
)
_UNLIKE = (
    "different|difference|diff|differs?|differentfrom|distinct|apart|separated?|unlike|cannot|cant|mustnot|disjoint"
    "|conflict(?:s|ing)?|unterschied|abgelehnt|incompatible|inkompatibel|verschieden|ungleich|unterschiedlich|anders|getrennt|unähnlich|different[eo]|différent[es]{0,2}"
    "|distinct[es]{1,2}|séparés?|inégal|distint[oa]s?|desigual|separad[oa]s?|divers[oiae]|separat[oi]"
    "|verschillende?|anders|olika|inne|inny|różn[yaei]|farklı|farkli|разн[а-я]*|違う|不同"
)
_SENSE = re.compile(
    rf"(?:{_BEFORE})*(?:must|should|shall|do|does)?(not?|non|dont|isnt|arent|un|in|mis|dis|nicht|kein|pas)?(?:{_BEFORE})*"
    rf"(?:({_ALIKE})|{_UNLIKE})(?:{_ASIDE}|link(?:s|ed)?)*"
)
#: The characters of a word for a link, and the words of a column's name that says one.
_LONGEST_LINK, _MOST_WORDS = 100, 20


@lru_cache(1024)
def link_sense(text: str) -> bool | None:
    """True if words say that two are the same, must-link or "match", False for non-match or "kept apart", else None."""
    if len(text) > _LONGEST_LINK:
        return None
    found = _SENSE.fullmatch(re.sub(r"[\W_]+", "", text.lower()))
    return None if found is None else (found[1] is None) == (found[2] is not None)


def name_sense(name: str) -> bool | None:
    """True if a column is called by what two are that are the same, False for others (judged_distinct), else None."""
    words = words_of(name).split("_")
    if len(words) > _MOST_WORDS or not {"false", "wrong", "incorrect", "falsch"}.isdisjoint(words):
        return None  # a text, or a false match, which may be either
    spans = ("".join(words[i : i + n]) for n in range(len(words), 0, -1) for i in range(len(words) - n + 1))
    return next((x for x in map(link_sense, spans) if x is not None), None)


def probability_sense(name: Any) -> bool | None:
    """True if a column is called the probability of a match, False for that of no match, else None."""
    words = words_of(str(name)).split("_")
    rest = "".join(x for x in words if x not in _PROBABLE)
    if PROBABILITY.among([name]) or len(rest) == len("".join(words)):
        return True if PROBABILITY.among([name]) else None
    return link_sense(rest) if rest else True


def linked_pair(names: Sequence[str]) -> tuple[str, str, bool] | None:
    """Two columns called by their link (cannot_link_1 and cannot_link_2), and whether they are must-links."""
    pairs = option_pairs(names)
    if len(pairs) != 1 or not {*names} - {*pairs[0]} <= {"weight"}:
        return None
    found = _side(pairs[0][0])
    sense = link_sense(found[1] or "") if found is not None else None
    return None if sense is None else (*pairs[0], sense)


def id_pair(names: Sequence[str]) -> tuple[str, str] | None:
    """The columns of two ids (unique_id_l and unique_id_r, rec_id_1 and rec_id_2, id1 and id2), if there are two."""
    pairs = [x for x in option_pairs(names) if _is_one_of_ids(x[0])]
    return pairs[0] if len(pairs) == 1 else None


def pair_columns(names: Sequence[str]) -> tuple[str, str, str] | None:
    """The columns of two ids and of their link or probability, by their names."""
    pair = id_pair(names)
    links = PROBABILITY.among(names)[:1] or [x for x in names if probability_sense(x)][:1]
    links = links or [x for x in names if probability_sense(x) is False][:1]
    links = links or [x for x in names if plain(x) in LINK.names or link_sense(str(x)) is not None]
    return (*pair, links[0]) if pair is not None and len(links) == 1 else None


def are_called_ids(a: str, b: str) -> bool | None:
    """Tell whether two names are for columns of ids (id1 and id2), None for other pairs (a and b, left and right)."""
    if a.strip().isdigit() or not option_pairs([a, b]):
        return False
    return True if _is_one_of_ids(a) else None


def _is_one_of_ids(name: str) -> bool:
    """True if a column is called like one of two ids: id1, unique_id_l, left_id."""
    found = _side(name)
    return found is not None and any(_ID_END.fullmatch(found[k] or "") for k in (1, 3))


def series_of(names: Iterable[str], ends: Collection[str]) -> dict[tuple[str, ...], dict[str, str]]:
    """The names that differ in a word that is one of some ends, a number, letter or side, by their other words."""
    series: dict[tuple[str, ...], dict[str, str]] = {}
    for name in names:
        words = re.findall(r"[^\W\d_]+|\d+", words_of(name))
        for k, word in enumerate(words):
            end = word if word in ("a", "b", "c") else SIDES.get(word, word)
            if end in ends:
                series.setdefault((*words[:k], "", *words[k + 1 :]), {})[end] = name
    return series


def stem_of(name: str) -> str:
    """A name of a column without the number or letter of one of several: word of word1."""
    return re.sub(r"[\W_]*(?:\d+|[a-hA-H])$", "", name)


def is_sure_anchor(name: str) -> bool:
    """True if a column's name says that two others are compared with it, and nothing else."""
    return ANCHOR.calls(name) in _SURE_ANCHORS


def option_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of columns that are called like two options, and no third: left and right, option1 and option2, A and B."""
    stems: dict[tuple[str, str], dict[str, str]] = {}
    for name in names:
        found = _side(name)
        if found is not None:
            stems.setdefault((found[1] or "", found[3] or ""), {})[SIDES.get(found[2], found[2])] = name
    return [
        (ends[a], ends[b]) for ends in stems.values() for a, b, c in _TWO if a in ends and b in ends and c not in ends
    ]
