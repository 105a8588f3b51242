// Buttons, menus and keys: each leads to one of the ACTIONS of viewer.js.

function listenToControls(view) {
  view.root.addEventListener("click", (event) => {
    const action = event.target.closest("[data-do]")?.dataset.do;
    if (!action || (action === "close" && !view.selected && !view.scene.opened.length)) return;
    if (action !== "play") stopPlaying(view);
    ACTIONS[action](view);
  });
  view.root.addEventListener("change", (event) => {
    const menu = event.target;
    if (menu.matches(".search")) return;
    if (menu.dataset.pref) prefer(view, menu.dataset.pref, menu.value);
    else if (menu.matches(".nudge-menu")) startNudge(view, menu.value);
    else return;
    if (view.byPointer) menu.blur(); // so that → steps again; whoever uses the keyboard stays in the menu
  });
  view.root.addEventListener("pointerdown", () => (view.byPointer = true), { capture: true });
  view.root.addEventListener("keydown", () => (view.byPointer = false), { capture: true });
  view.part(".slider").addEventListener("input", (event) => {
    stopPlaying(view);
    goTo(view, Number(event.target.value));
  });
}

/** The inputs that can be nudged are known only with the scene. */
function loadControls(view) {
  const menu = view.part(".nudge-menu");
  const inputs = Object.entries(view.scene.nudges);
  const options = [["", "nothing"], ...inputs.map(([id, nudge]) => [id, nudge.name])];
  menu.replaceChildren(...options.map(([value, text]) => Object.assign(make("option", "", text), { value })));
  menu.closest("label").hidden = inputs.length === 0;
  view.part(".notices").replaceChildren(...view.scene.notices.map((notice) => make("li", "", notice)));
}

function paintControls(view) {
  const last = view.scene.steps.length - 1;
  const { root, prefs } = view;
  for (const name of ["first", "back"]) view.part(`[data-do=${name}]`).disabled = view.step === 0;
  for (const name of ["next", "last"]) view.part(`[data-do=${name}]`).disabled = view.step === last;
  view.part(".step").classList.toggle("pulsing", view.step === 0 && view.tour.wanted);
  const slider = view.part(".slider");
  slider.max = last;
  slider.value = view.step;
  slider.setAttribute("aria-valuetext", `step ${view.step} of ${last}`);
  view.part(".transport .count").textContent = `${view.step} / ${last}`;
  root.dataset.tags = prefs.tags;
  root.classList.toggle("predicting", prefs.predict);
  root.classList.toggle("in-symbols", prefs.letters === "symbols");
  root.classList.toggle("in-table", hasTable(view));
  root.classList.toggle("full", prefs.level !== "sentence");
  root.classList.toggle("formulas-only", prefs.level === "formula");
  view.part(".paper").hidden = !hasTable(view);
  const pressed = { predict: prefs.predict, symbols: prefs.letters === "symbols", table: prefs.table };
  for (const [name, on] of Object.entries(pressed)) view.part(`[data-do=${name}]`).setAttribute("aria-pressed", String(on));
  for (const menu of root.querySelectorAll("[data-pref]")) menu.value = prefs[menu.dataset.pref] ?? view.scene[menu.dataset.pref];
  view.part(".nudge-menu").value = view.nudge?.input ?? "";
  view.part("[data-do=closeAll]").disabled = view.opened.length === 0;
  view.part("[data-do=openAll]").disabled = closedBoxes(view).length === 0;
}

const KEYS = {
  ArrowRight: "next",
  ArrowLeft: "back",
  PageDown: "next",
  PageUp: "back",
  " ": "next",
  Home: "first",
  End: "last",
  p: "predict",
  t: "table",
  s: "symbols",
  f: "fit",
  0: "fit",
  "+": "zoomIn",
  "-": "zoomOut",
  Escape: "close",
  Backspace: "shut",
  "/": "outline",
};

/** In a lecture, Page down after the last step and Page up before the first belong to the page around us. */
function turnsPage(view, key) {
  const last = view.scene.steps.length - 1;
  return view.lecture && ((key === "PageDown" && view.step === last) || (key === "PageUp" && view.step === 0));
}

/**
 * Keys work everywhere in the viewer but in its fields, and while the focus is on no other control: then the event
 * comes from the page around us (the body, or a scrolling part of it).
 */
function onKey(view, event) {
  const target = event.composedPath()[0];
  const inside = view.root.contains(target);
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (!inside && !target.contains?.(view.root.getRootNode().host ?? view.root)) return;
  if (target.matches?.("select, .nudge-slider, input[type=text], input[type=search]") && event.key !== "Escape") return;
  const node = target.closest?.(".node");
  const handle = target.closest?.(".handle");
  if ((node ?? handle) && inside && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    const box = handle ? handle.dataset.id : event.key === "Enter" && nodeOf(view, node.dataset.id).opens;
    return box ? toggleBox(view, box) : select(view, node.dataset.id);
  }
  if (event.key === " " && target.matches?.("button")) return;
  if (/^[1-3]$/.test(event.key) && isQuestionOpen(view)) return answerQuestion(view, Number(event.key) - 1);
  const action = KEYS[event.key];
  if (!action || turnsPage(view, event.key)) return;
  event.preventDefault();
  stopPlaying(view);
  ACTIONS[action](view);
}
