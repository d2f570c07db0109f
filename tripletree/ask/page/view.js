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
    const question = make("section", { class: "tt-question" }, this.prompt, this.cards, this.replies, this.status);
    this.root.classList.add("tt-ask");
    this.root.replaceChildren(make("div", { class: "tt-frame" }, header, this.meter, make("div", { class: "tt-layout" }, question, this.side)));
  }

  async start() {
    try {
      const setup = await this.transport.setup();
      this.columns = setup.columns;
      this.samples = setup.samples;
      this.exports = setup.exports ?? [];
      this.title.textContent = setup.title;
    } catch (error) {
      this.tell(error.message, true);
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
      if (state) this.show(state);
    } catch (error) {
      if (acts !== this.acts) return;
      this.tell(error.message, true);
    }
    this.setBusy(false);
  }

  async rename(name) {
    if (this.busy) return;
    const was = this.who;
    this.who = name.trim().replace(/\s+/g, " ") || null;
    this.transport.renamed?.(this.who);
    this.acts += 1;
    this.setBusy(true);
    this.tell("");
    await this.refresh(null, was);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if ((event.key === "Enter" || event.key === " ") && event.target.closest?.(".tt-card")) {
      event.target.closest(".tt-card").click();
    } else {
      const act = KEYS[event.key.toLowerCase()];
      if (act === undefined) return;
      if (act === "undo") this.undo();
      else if (typeof act === "number") this.choose(act);
      else this.reply(act);
    }
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
    if (this.busy || !question || this.isDone()) return;
    question.forEach((sample, k) => this.cards.children[k].classList.toggle("tt-chosen", sample.row === reply));
    this.buttons.forEach((button) => button.classList.toggle("tt-chosen", button.dataset.reply === reply));
    await this.send("answer", { question: question.map((sample) => sample.row), reply });
  }

  async undo() {
    if (!this.busy && this.known?.last) await this.send("undo", {});
  }

  async send(kind, message) {
    this.acts += 1;
    this.setBusy(true);
    this.tell("");
    try {
      this.show(await this.transport[kind]({ who: this.who, number: this.known.number, ...message }));
      if (kind === "undo") this.tell("Taken back: here is the question again.");
    } catch (error) {
      if (error.status === 409) await this.refresh();
      this.tell(error.message, true);
    }
    this.unmark();
    this.setBusy(false);
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
    this.status.textContent = text;
    this.status.classList.toggle("tt-wrong", wrong);
  }

  isDone() {
    return this.known !== null && this.known.left === 0 && !this.past;
  }

  show(state) {
    const before = this.known?.question?.map((sample) => sample.row).join(" ");
    const wasDone = this.isDone();
    this.known = state;
    this.who = state.who;
    if (document.activeElement !== this.name) this.name.value = state.who ?? "";
    const now = state.question?.map((sample) => sample.row).join(" ");
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
      const box = make("div", { class: "tt-done" }, make("p", { text: `${text} Everything is on disk.` }));
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
    this.cards.classList.toggle("tt-images", question.every((sample) => sample.image));
    this.cards.replaceChildren(
      ...question.map((sample, k) => {
        const card = make("div", { class: "tt-card", "data-row": sample.row });
        if (!pair) {
          card.append(make("kbd", { text: k + 1 }));
          for (const [name, value] of [["role", "button"], ["tabindex", "0"]]) card.setAttribute(name, value);
          card.setAttribute("aria-label", `${k + 1}: ${sample.name} does not belong`);
          card.addEventListener("click", () => this.choose(k));
        }
        card.append(...cardContent(sample, this.columns, this.transport));
        return card;
      }),
    );
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
    if (known.rows) {
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
    this.side.replaceChildren(...parts);
  }
}
