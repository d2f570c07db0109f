// The question, its replies, and what is known so far, in any element. How messages travel is the transport's business:
// setup(), state(who, version), answer(message), undo(message) and image(row) return promises.

const KEYS = { 1: 0, 2: 1, 3: 2, a: "alike", d: "different", c: "unsure", u: "undo" };
const REPLIES = [
  ["alike", "All alike", "A", "All of them belong together"],
  ["different", "All different", "D", "No two of them belong together"],
  ["unsure", "Cannot say", "C", "I cannot say: nothing is concluded from this"],
];

/** How many samples the next answer is expected to put into another cluster. */
function settled(gain) {
  return gain < 0.95 ? "less than one sample" : `about ${counted(Math.round(gain), "sample")}`;
}

function rowsOf(question) {
  return question?.map((sample) => sample.row).join(" ");
}

class AskView {
  constructor(root, transport, who = null) {
    this.root = root;
    this.transport = transport;
    this.who = who;
    this.known = null;
    this.columns = [];
    this.busy = true;
    this.acts = 0; // what the person has done so far; a state that was asked for before the last of it is out of date
    this.past = false; // the questions that were planned are answered, and more are wanted
    this.meant = null; // a reply that was given while a new name was on its way
    this.lost = false; // whether the line of notices says that nobody answers
    this.build();
  }

  build() {
    this.title = make("span", { class: "tt-title", dir: "auto" });
    this.name = make("input", { id: "tt-who", maxlength: "80", autocomplete: "off", spellcheck: "false", placeholder: "name" });
    this.progress = make("p", { class: "tt-progress" });
    this.meter = make("div", { class: "tt-meter", "aria-hidden": "true" }, make("span"));
    this.prompt = make("h1", {}, "Which one does not belong?");
    this.cards = make("div", { class: "tt-cards" });
    this.status = make("p", { class: "tt-status", role: "status" });
    this.said = make("p", { class: "tt-unseen", role: "status" }); // the question, for those who listen
    this.buttons = REPLIES.map(([reply, text, key, title]) => {
      const button = make("button", { type: "button", title, "data-reply": reply }, make("kbd", { text: key }), text);
      button.addEventListener("click", () => this.reply(reply));
      return button;
    });
    this.back = make("button", { type: "button", "data-reply": "undo" }, make("kbd", { text: "U" }), "Undo");
    this.back.addEventListener("click", () => this.undo());
    this.replies = make("div", { class: "tt-replies" }, ...this.buttons, this.back);
    this.side = make("aside", { class: "tt-side", "aria-label": "What is known so far" });
    const who = make("label", { class: "tt-who", for: "tt-who" }, "You are ", this.name);
    this.name.addEventListener("change", () => this.rename(this.name.value));
    this.name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.name.blur();
    });
    const header = make("header", { class: "tt-header" }, this.title, this.progress, who);
    this.section = make("section", { class: "tt-question", tabindex: "-1", "aria-label": "The question" });
    this.section.append(this.prompt, this.cards, this.replies, this.status, this.said);
    this.root.classList.add("tt-ask");
    this.root.replaceChildren(make("div", { class: "tt-frame" }, header, this.meter, make("div", { class: "tt-layout" }, this.section, this.side)));
  }

  async start() {
    try {
      const setup = await this.transport.setup();
      this.columns = setup.columns;
      this.samples = setup.samples;
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

  /** Take the state anew; a version that has not changed comes back as null. */
  async refresh(version = null, was = undefined) {
    const { acts } = this;
    try {
      const state = await this.transport.state(this.who, version, was);
      if (acts !== this.acts) return;
      if (this.lost) this.tell("Connected again.");
      if (state) this.show(state);
    } catch (error) {
      if (acts !== this.acts) return;
      this.fail(error);
    }
    this.setBusy(false);
  }

  /** Another view of the same widget, or Python, has another name. */
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
    await this.refresh(null, was);
    this.renaming = false;
    this.replyAsMeant();
  }

  /** A click on a card takes the focus from the name first: the reply waits for the new name, and then counts. */
  replyAsMeant() {
    const { meant } = this;
    this.meant = null;
    if (!meant) return;
    if (meant.question === rowsOf(this.known?.question)) this.reply(meant.reply);
    else this.tell("With this name the question is another one: please answer it.", true);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    const act = KEYS[event.key.toLowerCase()];
    if (act === undefined) return;
    if (act === "undo") this.undo();
    else if (typeof act === "number") this.choose(act);
    else this.reply(act);
    event.preventDefault();
    event.stopPropagation();
  }

  /** The card at a place is the odd one. */
  choose(place) {
    const question = this.known?.question;
    if (question && question.length === 3) this.reply(question[place].row);
  }

  async reply(reply) {
    const question = this.known?.question;
    if (!question || this.isDone()) return;
    if (this.renaming) this.meant = { question: rowsOf(question), reply };
    if (this.busy) return;
    question.forEach((sample, k) => this.cards.children[k].classList.toggle("tt-chosen", sample.row === reply));
    this.buttons.forEach((button) => button.classList.toggle("tt-chosen", button.dataset.reply === reply));
    await this.send("answer", { question: question.map((sample) => sample.row), reply });
  }

  async undo() {
    if (!this.busy && this.known?.last) await this.send("undo", {});
  }

  async send(kind, message) {
    const held = this.held();
    this.acts += 1;
    this.setBusy(true);
    this.tell("");
    try {
      this.show(await this.transport[kind]({ who: this.who, number: this.known.number, ...message }));
      if (kind === "undo") this.tell("Taken back: here is the question again.");
    } catch (error) {
      if (error.status === 409) await this.refresh();
      this.fail(error);
    }
    this.unmark();
    this.setBusy(false);
    this.hold(held);
  }

  /** Where in the question the focus is: what has it is replaced or switched off while an answer is on its way. */
  held() {
    const at = this.root.getRootNode().activeElement;
    if (!at || !this.section.contains(at) || at === this.section) return null;
    const card = at.closest(".tt-card");
    return card ? `.tt-card:nth-child(${Array.from(this.cards.children).indexOf(card) + 1}) button` : `[data-reply="${at.dataset.reply}"]`;
  }

  /** Give the focus back to the same place of the question, or to the question as a whole, so that keys go on. */
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
    this.root.setAttribute("aria-busy", String(busy));
    const asks = Boolean(this.known?.question) && !this.isDone();
    for (const button of this.buttons) button.disabled = busy || !asks;
    this.back.disabled = busy || !this.known?.last;
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
    this.known = state;
    this.who = state.who;
    if (this.root.getRootNode().activeElement !== this.name) this.name.value = state.who ?? "";
    const now = rowsOf(state.question);
    if (before !== now || wasDone !== this.isDone() || !this.cards.childElementCount) this.showQuestion();
    this.showProgress();
    this.showKnowledge();
    if (state.stale) {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.busy || this.refresh(this.known.version), 500);
    }
    this.back.title = state.last ? `Take back the answer to: ${state.last.join(", ")}` : "There is no answer to take back";
  }

  showQuestion() {
    const { question } = this.known;
    this.cards.className = "tt-cards";
    if (this.isDone() || !question) {
      this.prompt.textContent = question ? "All questions are answered" : "Nothing is left worth asking";
      const text = question
        ? "That was the number of questions planned. More answers still count."
        : "No further answer would change the clusters.";
      const kept = this.file ? `Everything is in ${this.file}.` : "The answers are in the memory of this notebook only.";
      this.said.textContent = `${this.prompt.textContent}. ${text} ${kept}`;
      const box = make("div", { class: "tt-done" }, make("p", { text: `${text} ${kept}` }));
      if (!this.file) box.append(this.saver());
      if (question) {
        const more = make("button", { type: "button", id: "tt-more", text: "Go on asking" });
        more.addEventListener("click", () => {
          this.past = true;
          this.showQuestion();
          this.setBusy(false);
        });
        box.append(more);
      }
      this.cards.replaceChildren(box);
      return;
    }
    const pair = question.length === 2;
    this.prompt.textContent = pair ? "Do these two belong together?" : "Which one does not belong?";
    this.buttons[0].lastChild.textContent = pair ? "Alike" : "All alike";
    this.buttons[1].lastChild.textContent = pair ? "Different" : "All different";
    this.cards.classList.toggle("tt-images", Boolean(this.pictures));
    this.cards.replaceChildren(
      ...question.map((sample, k) => {
        const card = make("div", { class: "tt-card", "data-row": sample.row, role: "group", "aria-label": sample.name });
        if (!pair) {
          const label = `${k + 1}: ${spoken(sample, this.columns)}: does not belong`;
          card.append(make("button", { type: "button", class: "tt-pick", "aria-label": label }, make("kbd", { text: k + 1 })));
          card.classList.add("tt-odd");
          card.addEventListener("click", () => this.choose(k)); // of the button, too
        }
        card.append(...cardContent(sample, this.columns, this.transport, this.pictures));
        return card;
      }),
    );
    this.said.textContent = `${this.prompt.textContent} ${question.map((sample, k) => `${k + 1}: ${sample.name}`).join("; ")}`;
  }

  /** A button that saves the answers of a widget that keeps no file. */
  saver() {
    const button = make("button", { type: "button", class: "tt-save", text: "Save the answers as a file" });
    button.addEventListener("click", async () => {
      try {
        const { name, text } = await this.transport.answers();
        const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/jsonl" })), download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        this.tell(`${name} saved: give it as answers="${name}" to go on with it.`);
      } catch (error) {
        this.fail(error);
      }
    });
    return button;
  }

  showProgress() {
    const { answers, left, gain, people } = this.known;
    const parts = [`${answers.toLocaleString("en")} answered`, `${left.toLocaleString("en")} left`];
    if (gain !== null && left) parts.push(`the next may settle ${settled(gain)}`);
    this.progress.textContent = parts.join(" · ");
    this.meter.firstChild.style.width = `${(100 * answers) / Math.max(answers + left, 1)}%`;
    this.people = people;
  }

  showKnowledge() {
    const { people, answers, known, stale } = this.known;
    this.side.setAttribute("aria-busy", String(stale));
    const parts = [];
    if (known.rows && (!known.answers || known.sure.every((sure) => sure < 0.005))) {
      parts.push(make("h2", { text: "Nothing is known yet" }));
      parts.push(make("p", { class: "tt-faint", text: `The clusters of the ${counted(this.samples, "sample")} come with the answers.` }));
    } else if (known.rows) {
      parts.push(make("h2", { text: `${counted(known.sizes.length, "cluster")} of ${counted(this.samples, "sample")}` }));
      if (stale) parts.push(make("p", { class: "tt-faint", text: `after ${counted(known.answers, "answer")}; the rest is being worked out` }));
      parts.push(outlineOf(known, this.transport));
    } else {
      parts.push(make("h2", { text: known.error ? "The hierarchy could not be made" : "The hierarchy is being made" }));
      if (known.error) parts.push(make("p", { class: "tt-wrong", text: known.error }));
    }
    const named = people.reduce((sum, [, number]) => sum + number, 0);
    const rows = answers > named && people.length ? [...people, ["without a name", answers - named]] : people;
    if (rows.length) {
      const list = make("dl", { class: "tt-people" });
      for (const [name, number] of rows) {
        list.append(make("dt", {}, make("bdi", { text: name })), make("dd", { text: number.toLocaleString("en") }));
      }
      parts.push(make("h3", { text: "Answers of each person" }), list);
    }
    if (this.exports.length) {
      const links = this.exports.map(([file, title]) => make("a", { href: `export/${file}`, download: file, text: title }));
      parts.push(make("h3", { text: "Save" }), make("p", { class: "tt-exports" }, ...links));
    }
    if (!this.file && answers) {
      const text = "A restart of the kernel loses the answers: they are in its memory only. With answers=\"answers.jsonl\" each is on disk at once.";
      parts.push(make("h3", { text: "Save" }), make("p", { class: "tt-unsaved", text }), this.saver());
    }
    this.side.replaceChildren(...parts);
  }
}
