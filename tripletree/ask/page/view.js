// The question, its replies and the results so far, in any element. `transport` sends the messages: setup(),
// state(who, version), answer(message), undo(message) and image(row) return promises.

const REPLIES = ["alike", "different", "unsure"];

/** The key of the texts for a reply, or for a part of it. */
function keyOf(before, reply, behind = "") {
  return before ? `${before}${reply[0].toUpperCase()}${reply.slice(1)}${behind}` : `${reply}${behind}`;
}

function rowsOf(question) {
  return question?.map((sample) => sample.row).join(" ");
}

class AskView {
  constructor(root, transport, texts, who = null) {
    this.root = root;
    this.transport = transport;
    this.texts = texts;
    this.keys = { 1: 0, 2: 1, 3: 2 };
    for (const act of [...REPLIES, "undo"]) this.keys[texts.say(keyOf("key", act)).toLowerCase()] = act;
    this.who = who;
    this.known = null;
    this.columns = [];
    this.busy = true;
    this.fresh = false; // whether the question is so new that nobody can have looked at it
    this.stage = 0; // how many of the pages before the questions are done: consent, instructions, practice
    this.rested = 0; // the number of answers after which the last break was
    this.practised = null; // the trio of the practice on show
    this.acts = 0; // number of the person's actions. A state that was requested before the last action is out of date
    this.past = false; // the questions that were planned are answered, and more are wanted
    this.meant = null; // a reply that was given while a new name was on its way
    this.lost = false; // whether the status says that nobody answers
    this.since = performance.now(); // when the question and all of its pictures were visible
    this.build();
  }

  build() {
    const say = (key) => this.texts.say(key);
    this.title = make("span", { class: "tt-title", dir: "auto" });
    this.name = make("input", { id: "tt-who", maxlength: "80", autocomplete: "off", spellcheck: "false", placeholder: say("name") });
    this.progress = make("p", { class: "tt-progress" });
    this.meter = make("div", { class: "tt-meter", "aria-hidden": "true" }, make("span"));
    this.prompt = make("h1", {}, say("question"));
    this.cards = make("div", { class: "tt-cards" });
    this.cards.addEventListener("load", () => this.begin(), true);
    this.status = make("p", { class: "tt-status", role: "status" });
    this.said = make("p", { class: "tt-unseen", role: "status" }); // the question, for screen readers
    this.buttons = REPLIES.map((reply) => {
      const button = this.button(reply, say(keyOf("", reply, "Hint")));
      button.addEventListener("click", () => this.reply(reply));
      return button;
    });
    this.back = this.button("undo", say("undoHint"));
    this.back.addEventListener("click", () => this.undo());
    this.replies = make("div", { class: "tt-replies" }, ...this.buttons, this.back);
    this.side = make("aside", { class: "tt-side", "aria-label": say("regionKnown") });
    const who = make("label", { class: "tt-who", for: "tt-who" }, `${say("you")} `, this.name);
    this.name.addEventListener("change", () => this.rename(this.name.value));
    this.name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.name.blur();
    });
    const header = make("header", { class: "tt-header" }, this.title, this.progress, who);
    this.section = make("section", { class: "tt-question", tabindex: "-1", "aria-label": say("regionQuestion") });
    this.section.append(this.prompt, this.cards, this.replies, this.status, this.said);
    this.root.classList.add("tt-ask");
    this.root.replaceChildren(make("div", { class: "tt-frame" }, header, this.meter, make("div", { class: "tt-layout" }, this.section, this.side)));
  }

  /** A button for a reply, with its key. */
  button(reply, title) {
    const kbd = make("kbd", { text: this.texts.say(keyOf("key", reply)) });
    return make("button", { type: "button", title, "data-reply": reply }, kbd, this.texts.say(reply));
  }

  async start() {
    try {
      const setup = await this.transport.setup();
      this.columns = setup.columns;
      this.samples = setup.samples;
      this.pause = 1000 * setup.pause;
      this.setup = setup;
      this.stages = ["consent", "instructions"].filter((key) => this.texts.has(`${key}Text`));
      if (setup.practice.length) this.stages.push(...setup.practice, "ready");
      this.pictures = setup.images;
      this.file = setup.file;
      this.exports = setup.exports ?? [];
      this.title.textContent = setup.title;
    } catch (error) {
      this.fail(error);
      this.setBusy(false);
      return;
    }
    await this.refresh();
  }

  /** Request the state. The answer is null if the version has not changed. */
  async refresh(version = null, was = undefined) {
    const { acts } = this;
    try {
      const state = await this.transport.state(this.who, version, was);
      if (acts !== this.acts) return;
      if (this.lost) this.tell(this.texts.say("connectedAgain"));
      if (state) this.show(state);
    } catch (error) {
      if (acts !== this.acts) return;
      this.fail(error);
    }
    this.setBusy(false);
  }

  /** Take the name that another view of the widget or Python has set. */
  called(who) {
    if (who !== this.who) this.rename(who ?? "");
  }

  async rename(name) {
    if (this.busy) return;
    const was = this.who;
    this.who = name.trim().replace(/\s+/g, " ") || null;
    if (this.who === was) return;
    this.transport.renamed?.(this.who);
    this.acts += 1;
    this.setBusy(true);
    this.renaming = true;
    this.tell("");
    const before = rowsOf(this.known?.question);
    await this.refresh(null, was);
    this.renaming = false;
    this.replyAsMeant(before);
  }

  /**
   * A click on a card first takes the focus from the name. The reply waits until the new name has its question. If that
   * is another question, the status says so, also if the card was replaced under the mouse before the click.
   */
  replyAsMeant(before) {
    const { meant } = this;
    const now = rowsOf(this.known?.question);
    this.meant = null;
    if (before && now && before !== now) this.tell(this.texts.say("otherQuestion"), meant !== null);
    else if (meant !== null) this.reply(meant);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    const act = this.keys[event.key.toLowerCase()];
    if (act === undefined) return;
    if (act === "undo") this.undo();
    else if (typeof act === "number") this.choose(act);
    else this.reply(act);
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * A question, or the last of its pictures, is there: the response time begins. For a moment it takes no answer, so that
   * the second of two quick clicks does not answer a question that nobody has seen.
   */
  begin() {
    this.since = performance.now();
    this.fresh = true;
    this.root.setAttribute("aria-busy", "true");
    clearTimeout(this.opens);
    this.opens = setTimeout(() => {
      if (this.cards.querySelector("[data-pending]")) return this.begin();
      this.fresh = false;
      this.setBusy(this.busy);
    }, this.pause);
  }

  /** Reply that the card at a place is the odd one. */
  choose(place) {
    const question = this.practised?.question ?? this.known?.question;
    if (question && question.length === 3) this.reply(question[place].row);
  }

  /** Whether a question is on show that can be answered. */
  asks() {
    return Boolean(this.known?.question) && !this.isDone() && !this.notice && !this.known.paused;
  }

  async reply(reply) {
    const question = this.practised?.question ?? this.known?.question;
    if (!this.asks() || (this.setup.forced && typeof reply === "string" && question.length === 3)) return;
    if (this.renaming) this.meant = reply;
    if (this.busy || this.fresh) return;
    const seconds = Math.round(performance.now() - this.since) / 1000;
    question.forEach((sample, k) => this.cards.children[k].classList.toggle("tt-chosen", sample.row === reply));
    this.buttons.forEach((button) => button.classList.toggle("tt-chosen", button.dataset.reply === reply));
    if (this.practised) return this.judge(reply);
    await this.send("answer", { question: question.map((sample) => sample.row), reply, seconds });
  }

  async undo() {
    if (!this.busy && !this.fresh && !this.practised && !this.notice && this.known?.last) await this.send("undo", {});
  }

  async send(kind, message) {
    const held = this.held();
    this.acts += 1;
    this.setBusy(true);
    this.tell("");
    try {
      this.show(await this.transport[kind]({ who: this.who, number: this.known.number, ...message }));
      if (kind === "undo") this.tell(this.texts.say("takenBack"));
    } catch (error) {
      if (error.status === 409) await this.refresh();
      this.fail(error);
    }
    this.unmark();
    this.setBusy(false);
    this.hold(held);
  }

  /** Where in the question the focus is. The focused element is replaced or disabled while an answer is sent. */
  held() {
    const at = this.root.getRootNode().activeElement;
    if (!at || !this.section.contains(at) || at === this.section) return null;
    const card = at.closest(".tt-card");
    return card ? `.tt-card:nth-child(${Array.from(this.cards.children).indexOf(card) + 1}) button` : `[data-reply="${at.dataset.reply}"]`;
  }

  /** Give the focus back to the same place, or to the whole question, so that keys keep working. */
  hold(held) {
    if (!held) return;
    const at = this.section.querySelector(held);
    (at && !at.disabled ? at : this.section).focus({ preventScroll: true });
  }

  unmark() {
    for (const element of this.root.querySelectorAll(".tt-chosen")) element.classList.remove("tt-chosen");
  }

  setBusy(busy) {
    this.busy = busy;
    this.root.setAttribute("aria-busy", String(busy || this.fresh));
    for (const button of this.buttons) button.disabled = busy || !this.asks();
    this.back.disabled = busy || !this.known?.last || Boolean(this.practised);
  }

  tell(text, wrong = false) {
    this.lost = false;
    this.status.textContent = text;
    this.status.classList.toggle("tt-wrong", wrong);
  }

  fail(error) {
    this.tell(error.message, true);
    this.lost = Boolean(error.lost);
  }

  isDone() {
    return this.known !== null && this.known.left === 0 && !this.past;
  }

  show(state) {
    const before = rowsOf(this.known?.question);
    const wasDone = this.isDone();
    const wasNameless = this.known?.nameless;
    const wasPaused = this.known?.paused;
    this.known = state;
    this.who = state.who;
    if (this.root.getRootNode().activeElement !== this.name) this.name.value = state.who ?? "";
    const now = rowsOf(state.question);
    if (before !== now || wasDone !== this.isDone() || wasNameless !== state.nameless || wasPaused !== state.paused || !this.cards.childElementCount) this.showQuestion();
    this.showProgress();
    this.showKnowledge();
    if (state.stale) {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.busy || this.refresh(this.known.version), 500);
    }
    const last = state.last?.every((name) => name !== null) ? "undoHintOf" : "undoHint";
    this.back.title = this.texts.say(state.last ? last : "undoNothing", { items: state.last?.join(", ") });
  }

  showQuestion() {
    const { nameless, paused, number, left } = this.known;
    const { breakAfter } = this.setup;
    this.practised = null;
    this.notice = false;
    this.replies.classList.toggle("tt-forced", this.setup.forced && this.known.question?.length !== 2);
    if (!nameless && !paused && !this.isDone() && this.known.question) {
      const stage = number ? undefined : this.stages[this.stage];
      if (typeof stage === "string") return this.showNotice(stage, () => (this.stage += 1));
      if (stage) this.practised = stage;
      else if (breakAfter && number && left && number % breakAfter === 0 && number !== this.rested) {
        return this.showNotice("break", () => (this.rested = number), { n: left });
      }
    }
    const question = this.practised?.question ?? this.known.question;
    this.cards.className = "tt-cards";
    this.replies.hidden = nameless || paused;
    if (paused && !nameless && !this.isDone()) return this.showEnd("paused", false);
    if (nameless || this.isDone() || !question) {
      this.showEnd(nameless ? "nameFirst" : question ? "allAnswered" : "nothingLeft", Boolean(question));
      if (nameless) this.name.focus();
      return;
    }
    const pair = question.length === 2;
    const { texts } = this;
    const form = pair ? "Pair" : "";
    this.prompt.textContent = texts.say(`question${form}`);
    if (this.practised) this.tell(texts.say("practice"));
    for (const k of [0, 1]) this.buttons[k].lastChild.textContent = texts.say(`${REPLIES[k]}${form}`);
    this.cards.classList.toggle("tt-images", Boolean(this.pictures));
    this.cards.replaceChildren(
      ...question.map((sample, k) => {
        const called = nameOf(sample, k + 1, texts);
        const card = make("div", { class: "tt-card", "data-row": sample.row, role: "group", "aria-label": called });
        if (!pair) {
          const label = texts.say("doesNotBelong", { place: k + 1, sample: spoken(sample, called, this.columns, texts) });
          card.append(make("button", { type: "button", class: "tt-pick", "aria-label": label }, make("kbd", { text: k + 1 })));
          card.classList.add("tt-odd");
          card.addEventListener("click", () => this.choose(k)); // clicks on the button arrive here, too
        }
        card.append(...cardContent(sample, called, this.columns, this.transport, this.pictures, texts));
        return card;
      }),
    );
    this.begin();
    const named = question.map((sample, k) => `${k + 1}: ${nameOf(sample, k + 1, texts)}`);
    this.said.textContent = `${this.prompt.textContent} ${named.join("; ")}`;
  }

  /** A page without a question, and a button that leads on. */
  showNotice(key, done, values = {}) {
    const { texts } = this;
    const own = texts.has(`${key}Text`) && (key === "consent" || key === "instructions");
    const parts = own ? texts.paragraphs(`${key}Text`) : [make("p", { text: texts.say(`${key}Text`, values) })];
    this.notice = true;
    this.replies.hidden = true;
    this.prompt.textContent = texts.say(key);
    this.said.textContent = `${this.prompt.textContent}. ${parts.map((part) => part.textContent).join(" ")}`;
    const button = make("button", { type: "button", id: "tt-on", text: texts.say(key === "consent" ? "agree" : "on") });
    button.addEventListener("click", () => {
      done();
      this.tell("");
      this.showQuestion();
      this.setBusy(this.busy);
      this.section.focus({ preventScroll: true });
    });
    this.cards.replaceChildren(make("div", { class: "tt-done tt-notice" }, ...parts, button));
    if (this.root.getRootNode().activeElement !== this.name) button.focus({ preventScroll: true });
  }

  /** Tell whether an answer of the practice was right, and go on when the person has read it. */
  judge(reply) {
    const { question, odd } = this.practised;
    const place = question.findIndex((sample) => sample.row === odd);
    this.notice = true; // takes no more answers
    this.cards.children[place].classList.add("tt-right");
    this.tell(this.texts.say(reply === odd ? "practiceRight" : "practiceWrong", { place: place + 1 }), reply !== odd);
    const button = make("button", { type: "button", id: "tt-on", text: this.texts.say("on") });
    button.addEventListener("click", () => {
      this.stage += 1;
      this.tell("");
      this.showQuestion();
      this.setBusy(this.busy);
      this.section.focus({ preventScroll: true });
    });
    this.cards.append(make("div", { class: "tt-next" }, button));
    this.setBusy(this.busy);
    button.focus({ preventScroll: true });
  }

  /** Instead of a question show why there is none, and offer more if there are some. */
  showEnd(why, more) {
    const { texts } = this;
    const parts = [texts.say(why === "allAnswered" && this.setup.fixed ? "thanksText" : `${why}Text`)];
    if (why !== "nameFirst" && why !== "paused") parts.push(texts.say(this.file ? "keptOnDisk" : "keptInMemory"));
    this.prompt.textContent = texts.say(why);
    this.said.textContent = `${this.prompt.textContent}. ${parts.join(" ")}`;
    const box = make("div", { class: "tt-done" }, make("p", { text: parts.join(" "), dir: "auto" }));
    if (!this.file) box.append(this.saver());
    const { code, address } = (why === "allAnswered" && this.known.end) || {};
    if (code) box.append(make("p", {}, `${texts.say("completionCode")} `, make("strong", { class: "tt-code", text: code })));
    if (address) box.append(make("p", {}, make("a", { href: address, text: texts.say("return"), rel: "noreferrer" })));
    if (more && !this.setup.fixed) {
      const button = make("button", { type: "button", id: "tt-more", text: texts.say("goOn") });
      button.addEventListener("click", () => {
        this.past = true;
        this.showQuestion();
        this.setBusy(false);
      });
      box.append(button);
    }
    this.cards.replaceChildren(box);
  }

  /** A button that saves the answers of a widget that keeps no file. */
  saver() {
    const button = make("button", { type: "button", class: "tt-save", text: this.texts.say("saveAnswers") });
    button.addEventListener("click", async () => {
      try {
        const { name, text } = await this.transport.answers();
        const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/jsonl" })), download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        this.tell(this.texts.say("savedAnswers", { file: name }));
      } catch (error) {
        this.fail(error);
      }
    });
    return button;
  }

  showProgress() {
    const { texts } = this;
    const { number, left, gain } = this.known;
    const parts = [texts.say("answered", { n: number }), texts.say("left", { n: left })];
    if (typeof gain === "number" && left) {
      parts.push(gain < 0.95 ? texts.say("settlesLittle") : texts.say("settles", { n: Math.round(gain) }));
    }
    this.progress.textContent = parts.join(" · ");
    this.meter.firstChild.style.width = `${(100 * number) / Math.max(number + left, 1)}%`;
  }

  /** Show the results beside the question, as far as people may see them. */
  showKnowledge() {
    const { known, stale, number } = this.known;
    this.side.setAttribute("aria-busy", String(Boolean(stale)));
    const parts = [...(known ? this.clusterParts(known, stale) : []), ...this.peopleParts()];
    if (this.exports.length) {
      const links = this.exports.map(([file, title]) => make("a", { href: `export/${file}`, download: file, text: this.texts.say(title) }));
      parts.push(make("h3", { text: this.texts.say("save") }), make("p", { class: "tt-exports" }, ...links));
    }
    if (!this.file && number) {
      const text = this.texts.say("memoryOnly");
      parts.push(make("h3", { text: this.texts.say("save") }), make("p", { class: "tt-unsaved", text }), this.saver());
    }
    this.side.replaceChildren(...parts);
    this.side.hidden = !parts.length;
  }

  clusterParts(known, stale) {
    const { texts } = this;
    const samples = texts.say("samples", { n: this.samples });
    if (!known.rows) {
      const title = make("h2", { text: texts.say(known.error ? "hierarchyFailed" : "hierarchyComing") });
      return known.error ? [title, make("p", { class: "tt-wrong", text: known.error })] : [title];
    }
    if (!known.answers || known.sure.every((sure) => sure < 0.005)) {
      const text = texts.say("clustersCome", { n: this.samples });
      return [make("h2", { text: texts.say("nothingKnown") }), make("p", { class: "tt-faint", text })];
    }
    const clusters = texts.say("clusters", { n: known.sizes.length });
    const parts = [make("h2", { text: texts.say("clustersOf", { clusters, samples }) })];
    if (stale) parts.push(make("p", { class: "tt-faint", text: texts.say("stale", { n: known.answers }) }));
    return [...parts, outlineOf(known, this.transport, texts)];
  }

  peopleParts() {
    const { people, answers } = this.known;
    if (!people) return [];
    const named = people.reduce((sum, [, number]) => sum + number, 0);
    const rest = answers > named && people.length ? [[this.texts.say("withoutName"), answers - named]] : [];
    const rows = [...people, ...rest];
    if (!rows.length) return [];
    const list = make("dl", { class: "tt-people" });
    for (const [name, number] of rows) {
      list.append(make("dt", {}, make("bdi", { text: name })), make("dd", { text: this.texts.number(number) }));
    }
    return [make("h3", { text: this.texts.say("people") }), list];
  }
}
