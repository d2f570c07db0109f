// The questions in a notebook. Messages go to the kernel, and its replies carry the number of the message.

const PATIENCE = 6000; // milliseconds
function kernelTransport(model, texts) {
  const waiting = new Map();
  const views = { changed: () => {}, silent: () => {}, heard: () => {} };
  const received = (message, buffers) => {
    if (message.changed !== undefined) return views.changed(message.changed);
    const asked = waiting.get(message.id);
    if (!asked) return;
    waiting.delete(message.id);
    clearTimeout(asked.late);
    if (asked.told && !Array.from(waiting.values()).some((other) => other.told)) views.heard();
    if (message.error) asked.fail(Object.assign(new Error(texts.refusal(message)), { status: message.status }));
    else asked.done(asked.read(message.body, buffers));
  };
  let number = 0;
  const sent = (kind, body, read = (value) => value) =>
    new Promise((done, fail) => {
      number += 1;
      const id = `${number} ${Math.random()}`; // several views of one widget share its messages
      const asked = { done, fail, read, told: false };
      asked.late = setTimeout(() => {
        asked.told = true; // the reply may still come when the kernel has time
        views.silent();
      }, PATIENCE);
      waiting.set(id, asked);
      model.send({ id, kind, body });
    });
  const addresses = new Map();
  const loaded = (body, buffers) => URL.createObjectURL(new Blob([buffers[0]], { type: body.type }));
  model.on("msg:custom", received);
  return {
    views,
    setup: () => sent("setup", {}),
    answers: () => sent("answers", {}),
    renamed(who) {
      model.set("who", who);
      model.save_changes();
    },
    state: (who, version, was) => sent("state", { who, version, was: was === null ? "" : was }),
    answer: (message) => sent("answer", message),
    undo: (message) => sent("undo", message),
    image(row) {
      if (!addresses.has(row)) addresses.set(row, sent("image", { row }, loaded).catch(() => "data:,"));
      return addresses.get(row);
    },
    async close() {
      model.off("msg:custom", received);
      for (const asked of waiting.values()) clearTimeout(asked.late);
      for (const address of addresses.values()) URL.revokeObjectURL(await address);
    },
  };
}

function render({ model, el }) {
  const texts = new Texts(model.get("language"));
  const transport = kernelTransport(model, texts);
  const root = make("div", { tabindex: "0", lang: texts.language });
  el.append(root);
  hideStill(model, el);
  const view = new AskView(root, transport, texts, model.get("who"));
  // Keys count while the widget has the focus, and do not reach the notebook. Jupyter Notebook takes its shortcuts before
  // any element hears of a key, unless the element that has the focus forbids it: an element around it is not asked.
  root.addEventListener("focusin", (event) => {
    event.target.dataset.lmSuppressShortcuts = "true";
  });
  root.addEventListener("keydown", (event) => view.key(event));
  transport.views.changed = (version) => {
    if (view.known && version !== view.known.version.split("-")[0] && !view.busy) view.refresh(view.known.version);
  };
  transport.views.silent = () => {
    view.tell(texts.say("kernelSilent"), true);
    view.lost = true;
  };
  transport.views.heard = () => view.lost && view.tell("");
  const named = () => view.called(model.get("who"));
  model.on("change:who", named);
  const stop = followTheme(el, (theme) => {
    root.dataset.theme = theme;
  });
  view.start();
  return () => {
    stop();
    model.off("change:who", named);
    transport.close();
  };
}

export default { render };
