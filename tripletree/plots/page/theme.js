// Widgets look like the notebook around them. Read before the script of each widget.

/** Whether what is behind an element is dark: notebooks have themes of their own, whatever the system prefers. */
function isDark(element) {
  for (let at = element; at; at = at.parentNode ?? at.host) {
    if (!(at instanceof Element)) continue;
    const [red, green, blue, alpha = 1] = getComputedStyle(at).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    if (alpha > 0.5) return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Tell the theme of the notebook around an element, "dark" or "light", now and when it changes; returns what stops that. */
function followTheme(el, tell) {
  const follow = () => tell(isDark(el) ? "dark" : "light");
  follow();
  const changes = new MutationObserver(follow);
  for (const at of [document.documentElement, document.body]) changes.observe(at, { attributes: true });
  return () => changes.disconnect();
}
