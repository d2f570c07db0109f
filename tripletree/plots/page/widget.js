// The page of a hierarchy in a notebook. The frame cannot reach the notebook. Over one port it tells which node was
// picked, and hears which node to show.

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "hierarchy";
  frame.setAttribute("sandbox", "allow-scripts allow-forms allow-downloads");
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:1px solid #8888;border-radius:4px;box-sizing:border-box`;
  let port = null;
  let theme = "light";
  let told; // what the page knows already
  const tell = () => {
    const node = model.get("_place");
    if (!port || node === told) return;
    told = node;
    port.postMessage({ node });
  };
  const close = () => {
    if (port) port.close();
    port = null;
  };
  frame.addEventListener("load", () => {
    close(); // a frame that is moved in the notebook loads again
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = (event) => {
      const node = event.data ? event.data.node : null;
      if (!Number.isInteger(node)) return;
      told = node;
      model.set("_place", node);
      model.save_changes();
    };
    frame.contentWindow.postMessage({ tripletree: "clade" }, "*", [channel.port2]);
    told = null; // a page that has just been loaded
    port.postMessage({ theme });
    tell();
  });
  const stop = followTheme(el, (now) => {
    theme = now;
    if (port) port.postMessage({ theme });
  });
  frame.srcdoc = model.get("page");
  model.on("change:_place", tell);
  el.append(frame);
  hideStill(model, el);
  return () => {
    stop();
    model.off("change:_place", tell);
    close();
  };
}

export default { render };
