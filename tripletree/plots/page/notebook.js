// What widgets share: they look like the notebook around them, and hide what they leave in it. Read before their scripts.

const onePixel = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });

/** Red, green, blue and opacity from 0 to 255 of a colour in any notation of CSS. */
function colourValues(text) {
  const ctx = onePixel.getContext("2d", { willReadFrequently: true });
  ctx.clearRect(0, 0, 1, 1);
  ctx.fillStyle = text;
  ctx.fillRect(0, 0, 1, 1);
  return ctx.getImageData(0, 0, 1, 1).data;
}

/** Whether the ground of an element is dark. Notebooks have themes of their own, whatever the system prefers. */
function isDark(element) {
  for (let at = element; at; at = at.parentNode ?? at.host) {
    if (!(at instanceof Element)) continue;
    const [red, green, blue, alpha] = colourValues(getComputedStyle(at).backgroundColor);
    if (alpha > 127) return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/**
 * Tell the theme of the notebook around an element, "dark" or "light", as soon as it is known and when it changes.
 * Returns a function that stops this.
 */
function followTheme(el, tell) {
  const follow = () => {
    if (el.isConnected) tell(isDark(el) ? "dark" : "light");
  };
  const places = new ResizeObserver(follow); // JupyterLab puts the element into the notebook only later
  places.observe(el);
  const changes = new MutationObserver(follow);
  for (const at of [document.documentElement, document.body]) changes.observe(at, { attributes: true });
  return () => {
    places.disconnect();
    changes.disconnect();
  };
}

/** Hide the still picture of a widget as long as the widget is there. It is an output of its own in the notebook. */
function hideStill(model, el) {
  const style = document.createElement("style");
  style.textContent = `.${model.get("_still")} { display: none; }`;
  el.append(style);
}
