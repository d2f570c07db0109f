// The same in a notebook: messages go to the kernel and come back with the number that they were sent with.

function kernelTransport(model) {
  const waiting = new Map();
  const received = (message, buffers) => {
    const asked = waiting.get(message.id);
    if (!asked) return;
    waiting.delete(message.id);
    if (message.error) asked.fail(Object.assign(new Error(message.error), { status: message.status }));
    else asked.done(asked.read(message.body, buffers));
  };
  let number = 0;
  const sent = (kind, body, read = (value) => value) =>
    new Promise((done, fail) => {
      number += 1;
      const id = `${number} ${Math.random()}`; // several views of one widget share its messages
      waiting.set(id, { done, fail, read });
      model.send({ id, kind, body });
    });
  const addresses = new Map();
  const loaded = (body, buffers) => URL.createObjectURL(new Blob([buffers[0]], { type: body.type }));
  model.on("msg:custom", received);
  return {
    setup: () => sent("setup", {}),
    state: (who, version, was) => sent("state", { who, version, was: was === null ? "" : was }),
    answer: (message) => sent("answer", message),
    undo: (message) => sent("undo", message),
    image(row) {
      if (!addresses.has(row)) addresses.set(row, sent("image", { row }, loaded).catch(() => "data:,"));
      return addresses.get(row);
    },
    async close() {
      model.off("msg:custom", received);
      for (const address of addresses.values()) URL.revokeObjectURL(await address);
    },
  };
}

function render({ model, el }) {
  const transport = kernelTransport(model);
  const root = make("div", { tabindex: "0", "data-lm-suppress-shortcuts": "true" });
  el.append(root);
  const view = new AskView(root, transport, model.get("who"));
  // keys count while the widget has the focus, and do not reach the notebook
  root.addEventListener("keydown", (event) => view.key(event));
  view.start();
  return () => transport.close();
}

export default { render };
