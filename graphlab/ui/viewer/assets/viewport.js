// Zoom, pan and fit. The viewport is a centre in the drawing's units and a scale in pixels per unit.

const LEGIBLE_SCALE = 0.8; // the smallest text that must be read is 20 units: 16 pixels
const LEGIBLE_SCALE_WIDE = 0.45; // a large screen shows more of the graph at once
const LARGEST_FIT = 1.6;
const LECTURE_LETTERS = 0.03; // of the height of the screen, for the smallest number in a box
const NUMBER_UNITS = 22;
const CELL_UNITS = 15;
const SCALES = [0.05, 8];
const FOLLOW_MARGIN = 14;
const GLIDE_MS = 160;

function stageSize(view) {
  return { width: view.canvas.clientWidth || 1, height: view.canvas.clientHeight || 1 };
}

function showViewport(view, { x, y, scale }) {
  view.viewport = { x, y, scale };
  const { width, height } = stageSize(view);
  const box = [x - width / scale / 2, y - height / scale / 2, width / scale, height / scale];
  view.svg.setAttribute("viewBox", box.map((number) => number.toFixed(1)).join(" "));
}

/** The whole graph, as large as it goes. */
function wholeGraph(view) {
  const [left, top, width, height] = view.bounds;
  const stage = stageSize(view);
  const largest = view.lecture ? 2 * legibleScale(view) : LARGEST_FIT;
  const scale = Math.min(stage.width / width, stage.height / height, largest);
  return { x: left + width / 2, y: top + height / 2, scale };
}

/** The scale at which the numbers of a step can be read. */
function legibleScale(view) {
  if (!view.lecture) return view.direction === "TB" ? LEGIBLE_SCALE : LEGIBLE_SCALE_WIDE;
  const units = view.svg.querySelector(".cell") ? CELL_UNITS : NUMBER_UNITS;
  return (LECTURE_LETTERS * window.innerHeight) / units;
}

function fit(view) {
  view.moved = false;
  view.canvas.classList.remove("moved");
  follow(view);
}

/**
 * Keep the current step in view: the whole graph where it stays legible, else a legible part of it around the
 * step. Somebody who has moved the graph is only brought back when the step would be out of sight.
 */
function follow(view) {
  const whole = wholeGraph(view);
  const focus = focusBox(view);
  if (view.moved) {
    if (focus && !isInView(view, focus)) glide(view, { ...view.viewport, x: focus.x, y: focus.y });
    return;
  }
  const legible = legibleScale(view);
  if (whole.scale >= legible || !focus) return glide(view, whole);
  const stage = stageSize(view);
  if (view.lecture) return glide(view, insideBounds(view, { ...lectureCentre(view, focus, legible), scale: legible }));
  const scale = Math.min(legible, Math.max(whole.scale, Math.min(stage.width / focus.width, stage.height / focus.height)));
  glide(view, insideBounds(view, { x: focus.x, y: focus.y, scale }));
}

/** In a lecture numbers stay large: where the boxes of a step do not fit, its own node counts. */
function lectureCentre(view, focus, scale) {
  const { width, height } = stageSize(view);
  if (focus.width * scale <= width && focus.height * scale <= height) return focus;
  return view.boxes.get(view.scene.steps[view.step].node) ?? focus;
}

/** The boxes of the current step: its node, and the other ends of its edges. Before the first step: what it will be. */
function focusBox(view) {
  const k = view.step === 0 ? Math.min(1, view.scene.steps.length - 1) : view.step;
  const ids = new Set();
  for (const step of stepsTogether(view.scene, k, grainOf(view))) {
    if (step.node) ids.add(step.node);
    for (const edge of step.edges) {
      ids.add(view.edgeEnds.get(edge).source);
      ids.add(view.edgeEnds.get(edge).target);
    }
  }
  const boxes = [...ids].map((id) => view.boxes.get(id)).filter(Boolean);
  if (!boxes.length) return null;
  const left = Math.min(...boxes.map((b) => b.x)) - FOLLOW_MARGIN;
  const right = Math.max(...boxes.map((b) => b.x + b.width)) + FOLLOW_MARGIN;
  const top = Math.min(...boxes.map((b) => b.y)) - FOLLOW_MARGIN;
  const bottom = Math.max(...boxes.map((b) => b.y + b.height)) + FOLLOW_MARGIN;
  return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top };
}

function isInView(view, box) {
  const { width, height } = stageSize(view);
  const { x, y, scale } = view.viewport;
  return (
    Math.abs(box.x - x) + box.width / 2 <= width / scale / 2 + 1 && Math.abs(box.y - y) + box.height / 2 <= height / scale / 2 + 1
  );
}

/** Slide the graph so far that a box is not hidden behind the panel that has just opened; the zoom stays. */
function uncover(view, id, panel) {
  const box = view.nodes.get(id).getBoundingClientRect();
  const cover = panel.getBoundingClientRect();
  const overlaps = box.right > cover.left && box.left < cover.right && box.bottom > cover.top && box.top < cover.bottom;
  if (!overlaps) return;
  const beside = view.direction === "LR";
  const { x, y, scale } = view.viewport;
  const dx = beside ? (box.right - cover.left + FOLLOW_MARGIN) / scale : 0;
  const dy = beside ? 0 : (box.bottom - cover.top + FOLLOW_MARGIN) / scale;
  glide(view, { x: x + dx, y: y + dy, scale });
}

/** No empty margin beyond the drawing, where it is larger than the stage. */
function insideBounds(view, { x, y, scale }) {
  const [left, top, width, height] = view.bounds;
  const stage = stageSize(view);
  const within = (middle, start, length, seen) =>
    seen >= length ? start + length / 2 : Math.min(Math.max(middle, start + seen / 2), start + length - seen / 2);
  return { x: within(x, left, width, stage.width / scale), y: within(y, top, height, stage.height / scale), scale };
}

/** Move there, gently unless motion is unwanted. */
function glide(view, target) {
  cancelAnimationFrame(view.gliding);
  const from = view.viewport;
  if (!from || matchMedia("(prefers-reduced-motion: reduce)").matches) return showViewport(view, target);
  const start = performance.now();
  const frame = (now) => {
    const part = Math.min(1, Math.max(0, (now - start) / GLIDE_MS));
    const eased = part * (2 - part);
    const between = (a, b) => a + (b - a) * eased;
    showViewport(view, {
      x: between(from.x, target.x),
      y: between(from.y, target.y),
      scale: between(from.scale, target.scale),
    });
    if (part < 1) view.gliding = requestAnimationFrame(frame);
  };
  view.gliding = requestAnimationFrame(frame);
}

/** Zoom by a factor around a point of the stage (pixels from its middle). */
function zoomBy(view, factor, dx = 0, dy = 0) {
  cancelAnimationFrame(view.gliding);
  const { x, y, scale } = view.viewport;
  const next = Math.min(SCALES[1], Math.max(SCALES[0], scale * factor));
  markMoved(view);
  showViewport(view, { x: x + dx / scale - dx / next, y: y + dy / scale - dy / next, scale: next });
}

function panBy(view, dx, dy) {
  cancelAnimationFrame(view.gliding);
  const { x, y, scale } = view.viewport;
  markMoved(view);
  showViewport(view, { x: x - dx / scale, y: y - dy / scale, scale });
}

function markMoved(view) {
  view.moved = true;
  view.canvas.classList.add("moved");
}
