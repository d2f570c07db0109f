// The page of the web server. Addresses are relative to its own address, which contains the token.

const texts = new Texts(document.documentElement.dataset.language);
document.documentElement.lang = texts.language;
document.title = texts.say("question");

async function fetched(address, options = {}) {
  let response;
  try {
    response = await fetch(address, { credentials: "omit", redirect: "error", ...options });
  } catch {
    throw Object.assign(new Error(texts.say("serverSilent")), { lost: true });
  }
  if (response.status === 204) return null;
  const body = await response.json().catch(() => ({ error: texts.say("serverSays", { status: response.status }) }));
  if (!response.ok) throw Object.assign(new Error(texts.refusal(body)), { status: response.status });
  return body;
}

function posted(address) {
  return (message) =>
    fetched(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) });
}

const transport = {
  setup: () => fetched("setup"),
  state(who, version, was) {
    const query = new URLSearchParams();
    if (who !== null) query.set("who", who);
    if (version !== null) query.set("version", version);
    if (was !== undefined) query.set("was", was ?? "");
    return fetched(`state?${query}`);
  },
  answer: posted("answer"),
  undo: posted("undo"),
  image: (row) => `image/${row}`,
  renamed(who) {
    history.replaceState(null, "", who === null ? "./" : `./?${new URLSearchParams({ who })}`);
  },
};

const view = new AskView(document.getElementById("ask"), transport, texts, new URLSearchParams(location.search).get("who"));
document.addEventListener("keydown", (event) => view.key(event));
view.start().then(() => {
  document.title = `${view.title.textContent} · ${texts.say("question")}`;
});
// ask for the answers of others, or whether the server is back: at once when the page is looked at again
let asked = 0;
function look() {
  const now = performance.now();
  if (view.busy || document.visibilityState !== "visible" || now - asked < (view.lost ? 1000 : 4000)) return;
  asked = now;
  if (view.known) view.refresh(view.known.version);
  else view.start();
}
setInterval(look, 1000);
document.addEventListener("visibilitychange", look);
