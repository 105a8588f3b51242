// The viewer itself: it keeps one `view` per place on the page, steps in the browser and tells Python afterwards.

const TELL_AFTER_MS = 250;
const PLAY_MS = 1600;
const NARROW_PIXELS = 640;
const DEFAULTS = {
  predict: false,
  table: false,
  letters: "numbers",
  notation: "fraction",
  grain: undefined,
  level: "sentence",
  speed: "1",
  tags: "all",
};
const views = new WeakMap();

/** Called by Streamlit at first and after every rerun. */
export default function (component) {
  const { parentElement, data, setStateValue } = component;
  let view = views.get(parentElement);
  if (!view) {
    view = createView(parentElement.querySelector(".viewer"));
    views.set(parentElement, view);
  }
  view.setStateValue = setStateValue;
  receive(view, data);
  return () => closeView(view, parentElement);
}

function createView(root) {
  const view = {
    root,
    canvas: root.querySelector(".canvas"),
    part: (selector) => root.querySelector(selector),
    prefs: { ...DEFAULTS },
    step: 0,
    selected: null,
    revision: null,
    timers: {},
    opened: [],
    unfolded: new Set(),
    nudge: null,
    reply: "",
    tour: { wanted: false, answer: null },
  };
  view.tell = (name, value) => tell(view, name, value);
  listenToControls(view);
  listenToGestures(view);
  listenToOutline(view);
  view.onKey = (event) => onKey(view, event);
  document.addEventListener("keydown", view.onKey);
  view.beforePrint = () => paintTable(view); // the table is printed even where it is not shown
  window.addEventListener("beforeprint", view.beforePrint);
  view.observer = new ResizeObserver(() => onResize(view));
  view.observer.observe(root);
  return view;
}

function closeView(view, parentElement) {
  document.removeEventListener("keydown", view.onKey);
  window.removeEventListener("beforeprint", view.beforePrint);
  view.observer.disconnect();
  Object.values(view.timers).forEach(clearTimeout);
  views.delete(parentElement);
}

/** Take what Python sent. Its step counts only when it asks for one (a new revision): a late reply never undoes ours. */
function receive(view, { scene, step, revision, selected, opened, prefs, tour, lecture, table_only: tableOnly, contents, found }) {
  const before = view.scene;
  const fresh = before?.id !== scene.id;
  const sent = view.revision !== revision;
  view.scene = scene;
  view.contents = contents;
  view.found = found;
  view.tour.wanted = tour;
  view.lecture = lecture;
  view.root.classList.toggle("lecture", lecture);
  view.tableOnly = tableOnly;
  view.root.classList.toggle("table-only", tableOnly);
  view.edgeEnds = new Map(scene.edges.map((edge) => [edge.id, edge]));
  if (sent) {
    view.revision = revision;
    view.step = Math.min(step, scene.steps.length - 1);
    view.selected = selected;
    view.opened = opened;
    view.unfolded = new Set(opened);
    view.prefs = { ...DEFAULTS, ...prefs };
  }
  if (fresh) {
    view.reply = "";
    view.nudge = null;
    view.tour.answer = null;
    if (before && !sent) keepStep(view, before);
    view.step = Math.min(view.step, scene.steps.length - 1);
    loadGraph(view, wantedDirection(view));
  }
  loadTable(view);
  loadControls(view);
  loadOutline(view);
  paint(view);
  if (fresh || sent) showFresh(view, fresh, sent);
}

/** Where to look at a new picture: at what was searched, where the reader was, or at the step. */
function showFresh(view, fresh, sent) {
  if (fresh && (sent || !view.askedAt)) {
    view.moved = false;
    view.viewport = null;
  }
  if (!showRevealed(view) && !returnToAnchor(view)) follow(view);
  settle(view);
}

/** Another set of open boxes has other steps: stay at the same place of the pass. */
function keepStep(view, before) {
  const step = sameStep(before, view.step, view.scene);
  if (step !== view.step) view.tell("step", step);
  view.step = step;
}

function wantedDirection(view) {
  return view.root.clientWidth < NARROW_PIXELS ? "TB" : "LR";
}

function onResize(view) {
  if (!view.scene) return;
  const direction = wantedDirection(view);
  if (direction !== view.direction) {
    loadGraph(view, direction);
    view.viewport = null;
    view.moved = false;
    paint(view);
  }
  follow(view);
}

/** Send to Python what has settled. */
function tell(view, name, value) {
  clearTimeout(view.timers[name]);
  view.timers[name] = setTimeout(() => view.setStateValue(name, value), name === "selected" ? 0 : TELL_AFTER_MS);
}

// ---- stepping ------------------------------------------------------------------------------------------------------
function goTo(view, step, reply = "") {
  if (step === view.step && !reply) return;
  const start = performance.now();
  view.step = step;
  view.reply = reply;
  if (view.nudge?.byTour) view.nudge = null;
  paint(view);
  const milliseconds = performance.now() - start;
  window.__graphlab_step_ms = milliseconds;
  view.root.dataset.stepMs = milliseconds.toFixed(2);
  follow(view);
  showWords(view);
  view.tell("step", step);
}

/** The words of a step (in the table view: its row) are on the screen together with the graph. */
function showWords(view) {
  const row = hasTable(view) && view.part(".paper tr.current");
  (row || view.part(".words")).scrollIntoView({ block: "nearest" });
}

function paint(view) {
  const state = stateAt(view.scene, view.step);
  view.root.dataset.step = String(view.step);
  paintGraph(view, state);
  paintNudged(view, state);
  paintWords(view);
  paintControls(view);
  if (hasTable(view)) paintTable(view);
  paintDetails(view);
  paintCrumbs(view);
}

const ACTIONS = {
  first: (view) => goTo(view, 0),
  back: (view) => goTo(view, stepBefore(view.scene, view.step, grainOf(view))),
  next: (view) => goTo(view, stepAfter(view.scene, view.step, grainOf(view))),
  last: (view) => goTo(view, view.scene.steps.length - 1),
  play: (view) => togglePlay(view),
  predict: (view) => prefer(view, "predict", !view.prefs.predict),
  table: (view) => prefer(view, "table", !view.prefs.table),
  symbols: (view) => prefer(view, "letters", view.prefs.letters === "symbols" ? "numbers" : "symbols"),
  fit: (view) => fit(view),
  zoomIn: (view) => zoomBy(view, 1.3),
  zoomOut: (view) => zoomBy(view, 1 / 1.3),
  close: (view) => (view.selected ? select(view, null) : ACTIONS.shut(view)),
  shut: (view) => shutInnermost(view),
  outline: (view) => toggleOutline(view),
  openAll: (view) => askFor(view, [...view.opened, ...closedBoxes(view)], null),
  closeAll: (view) => askFor(view, [], null),
};

function togglePlay(view) {
  const playing = view.root.classList.toggle("playing");
  clearTimeout(view.timers.play);
  if (!playing) return;
  if (view.step === view.scene.steps.length - 1) ACTIONS.first(view);
  playOn(view);
}

function playOn(view) {
  view.timers.play = setTimeout(() => {
    ACTIONS.next(view);
    if (view.step < view.scene.steps.length - 1) playOn(view);
    else view.root.classList.remove("playing");
  }, PLAY_MS / Number(view.prefs.speed));
}

function stopPlaying(view) {
  view.root.classList.remove("playing");
  clearTimeout(view.timers.play);
}

function prefer(view, name, value) {
  view.prefs = { ...view.prefs, [name]: value };
  view.reply = "";
  paint(view);
  if (name === "table" && !value) follow(view);
  view.tell("prefs", view.prefs);
}
