// Finding one's way in a large graph: where this is (crumbs), the table of contents, and a search. The tree and what a
// search found come from Python, each entry with the boxes that must be open to see it.

const SEARCH_AFTER_MS = 120;

function listenToOutline(view) {
  const field = view.part(".search");
  field.addEventListener("input", () => {
    clearTimeout(view.timers.query);
    view.timers.query = setTimeout(() => view.setStateValue("query", field.value.trim()), SEARCH_AFTER_MS);
    if (!field.value.trim()) paintFound(view);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") view.part(".found button")?.focus();
    if (event.key !== "Enter" || !field.value.trim()) return;
    if (isFound(view)) goToFirst(view);
    else view.enterPressed = true;
  });
}

/** Whether what Python sent answers what stands in the field. */
function isFound(view) {
  return view.found.query !== "" && view.found.query === view.part(".search").value.trim();
}

function loadOutline(view) {
  view.part(".places").hidden = view.contents.length === 0;
  view.root.classList.toggle("large", view.contents.length > 0);
  if (!view.contents.length) view.part(".outline").hidden = true;
  view.part(".tree").replaceChildren(...view.contents.map((entry) => treeItem(view, entry)));
  paintFound(view);
  if (view.enterPressed && isFound(view)) goToFirst(view);
}

function goToFirst(view) {
  view.enterPressed = false;
  const [first] = view.found.results;
  if (first) reveal(view, first.id, first.open);
}

function toggleOutline(view, wanted = view.part(".outline").hidden) {
  view.part(".outline").hidden = !wanted;
  view.part("[data-do=outline]").setAttribute("aria-expanded", String(wanted));
  const roomy = view.root.clientWidth >= NARROW_PIXELS; // a phone would show its keyboard over everything
  if (wanted && roomy) view.part(".search").focus({ preventScroll: true });
}

// ---- the tree --------------------------------------------------------------------------------------------------------
function treeItem(view, entry) {
  const row = make("div", "row", "", twist(view, entry), placeButton(view, titleOf(entry), entry));
  row.append(make("span", "count", entry.counts));
  const item = make("li", entry.fault ? "faulty" : "", "", row);
  if (entry.entries.length && view.unfolded.has(entry.id)) {
    item.append(make("ul", "", "", ...entry.entries.map((inner) => treeItem(view, inner))));
  }
  return item;
}

function twist(view, entry) {
  if (!entry.entries.length) return make("span", "twist");
  const on = view.unfolded.has(entry.id);
  const button = make("button", "twist", on ? "▾" : "▸");
  button.type = "button";
  button.setAttribute("aria-expanded", String(on));
  button.setAttribute("aria-label", `Contents of ${aloud(entry.title)}`);
  button.addEventListener("click", () => {
    if (on) view.unfolded.delete(entry.id);
    else view.unfolded.add(entry.id);
    loadOutline(view);
  });
  return button;
}

function titleOf({ title, repeats }) {
  return repeats > 1 ? `${title} ×${repeats}` : title;
}

function placeButton(view, text, { id, open }) {
  const button = make("button", "place", text);
  button.type = "button";
  button.addEventListener("click", () => {
    if (view.root.clientWidth < NARROW_PIXELS) toggleOutline(view, false); // there it covers the graph
    reveal(view, id, open);
  });
  return button;
}

// ---- search ----------------------------------------------------------------------------------------------------------
function paintFound(view) {
  const list = view.part(".found");
  list.hidden = !isFound(view);
  view.part(".tree").hidden = !list.hidden;
  if (list.hidden) return list.replaceChildren();
  const items = view.found.results.map((one) => make("li", "", "", placeButton(view, one.name, one), make("span", "count", one.scope)));
  list.replaceChildren(...(items.length ? items : [make("li", "count", "Nothing is called so.")]));
  const heard = items.length === 1 ? "one result" : `${items.length} results`;
  view.part(".spoken").textContent = heard;
}

// ---- going there -----------------------------------------------------------------------------------------------------
/** Show a node or a box in the middle, once everything around it is open. */
function reveal(view, id, needed) {
  const missing = needed.filter((box) => !view.opened.includes(box));
  view.revealed = id;
  if (missing.length) askFor(view, [...view.opened, ...missing], null);
  else showRevealed(view);
}

/** False if there is nothing to show, or it is not there (yet). */
function showRevealed(view) {
  const id = view.revealed;
  const box = id && placeOf(view, id);
  if (!box) return false;
  view.revealed = null;
  if (view.nodes.has(id)) select(view, id);
  markMoved(view);
  const stage = stageSize(view);
  const scale = Math.max(view.viewport?.scale ?? 0, REVEALED_SCALE);
  const shown = { width: Math.min(box.width, stage.width / scale), height: Math.min(box.height, stage.height / scale) };
  glide(view, { x: box.x + shown.width / 2 + coveredBeside(view) / scale, y: box.y + shown.height / 2, scale });
  partOf(view, id)?.focus({ preventScroll: true });
  return true;
}

/** How far the middle of what the panels leave free is from the middle of the stage. */
function coveredBeside(view) {
  if (view.direction !== "LR") return 0;
  const width = (name) => view.part(name).offsetWidth; // 0 while it is hidden
  return (width(".details") - width(".outline")) / 2;
}

/** The open boxes around the chosen node, or around what the step works on. */
function paintCrumbs(view) {
  const id = view.selected ?? view.scene.steps[view.step].node;
  const around = view.scene.opened.filter((box) => box.nodes.includes(id));
  const crumbs = around.map((box) => placeButton(view, titleOf(box), { id: box.id, open: [] }));
  view.part(".crumbs").replaceChildren(...crumbs);
}
