// Boxes that open and close: layers, and operations with a body. Python lays the graph out anew; the view stays where
// it was: the box that was opened or closed keeps its top left corner on the screen, and the zoom does not change.

const SVG = "http://www.w3.org/2000/svg";
const HANDLE_RADIUS = 15;
const TOUCH_RADIUS = 30;
const KEPT_INSIDE = 24; // a corner that was out of sight comes back this far inside the stage
const WAITING_AFTER_MS = 400;
const REVEALED_SCALE = 0.6;

/** Open or close a box by its own id; a node that stands for it (or for a part of it) names it in `opens`. */
function toggleBox(view, id) {
  if (view.frames.has(id)) closeBox(view, id);
  else askFor(view, [...new Set([...view.opened, id])], id);
}

function closeBox(view, id) {
  askFor(view, view.opened.filter((box) => box !== id), id);
}

/** Close the innermost open box around the focus or the chosen node; with neither, the one opened last. */
function shutInnermost(view) {
  const focused = view.root.getRootNode().activeElement?.closest?.(".handle.closes, .node")?.dataset.id;
  const id = focused ?? view.selected;
  const around = view.scene.opened.filter((box) => box.id === id || box.nodes.includes(id));
  const box = around.at(-1)?.id ?? view.opened.findLast((one) => view.frames.has(one));
  if (box) closeBox(view, box);
}

/** Every closed layer that is seen now; operations with a body stay closed. */
function closedBoxes(view) {
  return view.scene.nodes.filter((node) => node.box && node.opens).map((node) => node.opens);
}

/** Ask Python for the picture with these boxes open; `kept` is the box that stays where it is on the screen. */
function askFor(view, opened, kept) {
  stopPlaying(view);
  view.opened = opened;
  view.anchor = kept ? anchorOf(view, kept) : null;
  view.askedAt = performance.now();
  clearTimeout(view.timers.waiting);
  view.timers.waiting = setTimeout(() => view.root.classList.add("waiting"), WAITING_AFTER_MS);
  view.setStateValue("opened", opened);
}

/** Where the corner of a box stands on the stage, and what has the focus. */
function anchorOf(view, id) {
  const box = placeOf(view, id);
  if (!box || !view.viewport) return null;
  const stage = stageSize(view);
  const { x, y, scale } = view.viewport;
  const within = (pixels, length) => Math.min(Math.max(pixels, KEPT_INSIDE), length - KEPT_INSIDE);
  return {
    id,
    scale,
    left: within((box.x - x) * scale + stage.width / 2, stage.width),
    top: within((box.y - y) * scale + stage.height / 2, stage.height),
    focused: view.canvas.contains(view.root.getRootNode().activeElement),
  };
}

/** The new picture has come: put the anchor back where it was. False if there is nothing to keep. */
function returnToAnchor(view) {
  const anchor = view.anchor;
  view.anchor = null;
  const box = anchor && placeOf(view, anchor.id);
  if (!box) return false;
  const stage = stageSize(view);
  cancelAnimationFrame(view.gliding);
  markMoved(view);
  showViewport(view, {
    x: box.x - (anchor.left - stage.width / 2) / anchor.scale,
    y: box.y - (anchor.top - stage.height / 2) / anchor.scale,
    scale: anchor.scale,
  });
  if (anchor.focused) partOf(view, anchor.id)?.focus({ preventScroll: true });
  return true;
}

/** Where a box stands, open or closed, or a node. */
function placeOf(view, id) {
  return view.frames.get(id) ?? view.boxes.get(standIn(view, id));
}

/** What takes the focus for it. */
function partOf(view, id) {
  return view.handles.get(id) ?? view.nodes.get(standIn(view, id));
}

function standIn(view, id) {
  return view.nodes.has(id) ? id : view.scene.nodes.find((node) => node.opens === id)?.id;
}

/** A picture has been drawn that was asked for. */
function settle(view) {
  clearTimeout(view.timers.waiting);
  view.root.classList.remove("waiting");
  if (!view.askedAt) return;
  window.__graphlab_open_ms = performance.now() - view.askedAt;
  view.askedAt = 0;
}

// ---- handles ---------------------------------------------------------------------------------------------------------
/** A + on the corner of each box that opens and a − on each open one. Boxes open by Enter too, so only − has the focus. */
function addHandles(view) {
  view.frames = partsById(view.svg, ".opened");
  for (const [id, part] of view.frames) view.frames.set(id, rectangleOf(part.querySelector(".surround")));
  view.handles = new Map();
  const layer = view.svg.appendChild(svgPart("g", { class: "handles" }));
  for (const node of view.scene.nodes) if (node.opens) layer.append(handleAt(view.boxes.get(node.id), node.opens, "opens"));
  for (const open of view.scene.opened) {
    const handle = handleAt(view.frames.get(open.id), open.id, "closes");
    const name = { role: "button", tabindex: "0", "aria-expanded": "true", "aria-label": `Close ${aloud(open.title)}` };
    for (const [key, value] of Object.entries(name)) handle.setAttribute(key, value);
    view.handles.set(open.id, handle);
    layer.append(handle);
  }
}

function rectangleOf(rect) {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
  return { x, y, width, height };
}

function handleAt(box, id, kind) {
    const handle = svgPart("g", { class: `handle ${kind}`, "data-id": id, transform: `translate(${box.x} ${box.y})` });
  const half = HANDLE_RADIUS / 2;
  const title = svgPart("title");
  title.textContent = kind === "opens" ? "Open" : "Close";
  handle.append(
    title,
    svgPart("circle", { class: "reach", r: TOUCH_RADIUS }),
    svgPart("circle", { class: "knob", r: HANDLE_RADIUS }),
    svgPart("path", { d: `M${-half} 0H${half}${kind === "opens" ? `M0 ${-half}V${half}` : ""}` }),
  );
  return handle;
}

function svgPart(name, attributes = {}) {
  const part = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
  return part;
}
