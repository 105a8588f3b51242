// The keys of lecture mode. The window hears a key last, so whatever a field or the viewer used is left alone.

const instances = new WeakMap();
const SIZES = [0.7, 2];
const PATIENCE_MS = 4000;

export default function ({ parentElement, data, setTriggerValue }) {
  let one = instances.get(parentElement);
  if (!one) {
    one = create(parentElement);
    instances.set(parentElement, one);
  }
  one.tell = setTriggerValue;
  one.data = data;
  paint(one);
  return () => {
    window.removeEventListener("keydown", one.onKey);
    delete document.body.dataset.lecture;
    instances.delete(parentElement);
  };
}

function create(root) {
  const one = { root, part: (selector) => root.querySelector(selector), size: 1, black: false };
  one.onKey = (event) => onKey(one, event);
  window.addEventListener("keydown", one.onKey);
  root.addEventListener("click", (event) => {
    const turn = event.target.closest("[data-turn]")?.dataset.turn;
    if (turn) step(one, Number(turn));
    else if (event.target.closest(".leave")) one.tell("toggle", true);
    else if (event.target.closest(".code")) one.part(".code").hidden = true;
  });
  return one;
}

/** A button does what its key does: it steps the viewer first, if there is one. */
function step(one, by) {
  const event = new KeyboardEvent("keydown", { key: by > 0 ? "PageDown" : "PageUp", bubbles: true, cancelable: true });
  document.body.dispatchEvent(event);
}

function paint(one) {
  const { lecture, slide, slides, title, code } = one.data;
  one.part(".lecture").hidden = !lecture;
  if (lecture) document.body.dataset.lecture = "1";
  else delete document.body.dataset.lecture;
  one.part(".title").textContent = title;
  one.part(".place").textContent = `${slide} / ${slides}`;
  if (code && code !== one.shown) {
    one.shown = code;
    one.part(".code").innerHTML = code; // an SVG of squares, written by segno
    one.part(".code").hidden = false;
  }
}

function onKey(one, event) {
  const target = event.composedPath()[0];
  const resizes = event.key === "+" || event.key === "-"; // the viewer zooms, and the words around it grow too
  if (event.ctrlKey || event.metaKey || event.altKey || (event.defaultPrevented && !resizes)) return;
  if (target.matches?.("textarea, select, [contenteditable=true], input:not([type=radio], [type=checkbox], [type=range])")) return;
  if (event.key === "l") return one.tell("toggle", true);
  if (!one.data.lecture) return;
  const done = KEYS[event.key]?.(one);
  if (done) event.preventDefault();
}

const KEYS = {
  PageDown: (one) => turn(one, 1),
  PageUp: (one) => turn(one, -1),
  b: (one) => show(one, ".black"),
  ".": (one) => show(one, ".black"),
  "+": (one) => resize(one, 1.1),
  "-": (one) => resize(one, 1 / 1.1),
  r: (one) => send(one, "reset", true),
  q: (one) => askForCode(one),
  Escape: (one) => ((one.part(".black").hidden = one.part(".code").hidden = true), true),
};

/** One page at a time: a second press while the first is on its way does not turn another. */
function turn(one, by) {
  if (!one.part(".black").hidden) return show(one, ".black");
  const { slide, slides } = one.data;
  const waits = one.turned?.slide === slide && performance.now() - one.turned.at < PATIENCE_MS;
  if (waits || slide + by < 1 || slide + by > slides) return true;
  one.turned = { slide, at: performance.now() };
  return send(one, "turn", by);
}

function send(one, name, value) {
  one.tell(name, value);
  return true;
}

function show(one, selector) {
  one.part(selector).hidden = !one.part(selector).hidden;
  return true;
}

function resize(one, factor) {
  one.size = Math.min(SIZES[1], Math.max(SIZES[0], one.size * factor));
  document.documentElement.style.setProperty("--gl-size", one.size.toFixed(3));
  return true;
}

/** The address follows a step a moment later, so that the code is asked for after it. */
function askForCode(one) {
  if (!one.part(".code").hidden) return show(one, ".code");
  one.shown = null;
  setTimeout(() => one.tell("address", location.href), 600);
  return true;
}
