// The texts of the page in the language of the reader. TEXTS has the files of the folder "languages".

class Texts {
  /** Texts in a fixed language, or in the first language of the browser's list for which there are texts. */
  constructor(fixed = "") {
    const wanted = fixed ? [fixed] : navigator.languages ?? [];
    const known = wanted.map((tag) => tag.toLowerCase().split("-")[0]).filter((tag) => Object.hasOwn(TEXTS, tag));
    this.language = known[0] ?? Object.keys(TEXTS)[0];
    this.plural = new Intl.PluralRules(this.language);
  }

  /** A text with the names in braces replaced by values. A text with several forms takes the form for the number n. */
  say(key, values = {}) {
    let text = TEXTS[this.language][key];
    if (typeof text !== "string") text = text[this.plural.select(values.n)] ?? text.other;
    return text.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? this.number(values[name]) : values[name]));
  }

  /** Whether there is a text: those of a study may be missing. */
  has(key) {
    return Object.hasOwn(TEXTS[this.language], key);
  }

  /** A text as the leader of a study wrote it, in paragraphs. */
  paragraphs(key) {
    return TEXTS[this.language][key].trim().split(/\n\s*\n/).map((text) => make("p", { text, dir: "auto" }));
  }

  number(value) {
    return value.toLocaleString(this.language);
  }

  /** Why a request was refused. Errors that only a broken page can cause are not translated. */
  refusal({ error, key, values }) {
    return key ? this.say(key, values) : error;
  }
}
