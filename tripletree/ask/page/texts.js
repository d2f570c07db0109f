// What people read, in their language. TEXTS, the files of the folder "languages", stands before this.

class Texts {
  /** In a fixed language, or in the first that the browser prefers and that there is. */
  constructor(fixed = "") {
    const wanted = fixed ? [fixed] : navigator.languages ?? [];
    const known = wanted.map((tag) => tag.toLowerCase().split("-")[0]).filter((tag) => Object.hasOwn(TEXTS, tag));
    this.language = known[0] ?? "en";
    this.plural = new Intl.PluralRules(this.language);
  }

  /** A text with what stands in braces replaced; of one with several forms, the form for the number n. */
  say(key, values = {}) {
    let text = TEXTS[this.language][key];
    if (typeof text !== "string") text = text[this.plural.select(values.n)] ?? text.other;
    return text.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? this.number(values[name]) : values[name]));
  }

  number(value) {
    return value.toLocaleString(this.language);
  }

  /** Why a request was refused; what only a broken page can meet has no translation. */
  refusal({ error, key, values }) {
    return key ? this.say(key, values) : error;
  }
}
