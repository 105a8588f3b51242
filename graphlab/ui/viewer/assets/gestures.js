// Mouse and touch on the graph: drag to pan, two fingers or the wheel to zoom, a swipe to step, a tap to choose a node.

const TAP_PIXELS = 6;
const SWIPE_PIXELS = 48;
const SWIPE_MS = 1000;
const DOUBLE_MS = 400;

function listenToGestures(view) {
  const pointers = new Map();
  const canvas = view.canvas;
  let gesture = null;
  let engaged = false;

  canvas.addEventListener("pointerdown", (event) => {
    engaged = true;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 1) gesture = startGesture(event);
    else if (gesture) gesture.pinching = true;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before || !gesture) return;
    const apart = spread(pointers);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 2) return pinch(view, pointers, apart);
    gesture.far ||= Math.hypot(event.clientX - gesture.x, event.clientY - gesture.y) > TAP_PIXELS;
    const pans = event.pointerType !== "touch" || view.moved;
    if (!gesture.far || gesture.pinching || !pans) return;
    canvas.setPointerCapture(event.pointerId);
    panBy(view, event.clientX - before.x, event.clientY - before.y);
  });
  canvas.addEventListener("pointerup", (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size || !gesture) return;
    if (!gesture.far && !gesture.pinching) tap(view, gesture);
    else if (event.pointerType === "touch" && !view.moved) swipe(view, gesture, event);
    gesture = null;
  });
  canvas.addEventListener("pointercancel", (event) => {
    pointers.delete(event.pointerId);
    gesture = null;
  });
  canvas.addEventListener("pointerleave", () => {
    engaged = false;
  });
  // A plain wheel scrolls the page until the graph was pressed; with Ctrl it always zooms.
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!engaged && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const stage = canvas.getBoundingClientRect();
      const factor = Math.exp(-event.deltaY * 0.0015);
      zoomBy(view, factor, event.clientX - stage.left - stage.width / 2, event.clientY - stage.top - stage.height / 2);
    },
    { passive: false },
  );
  listenToSwipes(view, view.part(".words"));
}

function startGesture(event) {
  const idOf = (name) => event.composedPath().find((element) => element.classList?.contains(name))?.dataset.id ?? null;
  return { x: event.clientX, y: event.clientY, time: event.timeStamp, node: idOf("node"), handle: idOf("handle"), far: false };
}

/** A handle opens or closes its box; a tap chooses a node; a second one on the same place opens it. */
function tap(view, gesture) {
  const before = view.tapped;
  view.tapped = gesture;
  if (gesture.handle) return toggleBox(view, gesture.handle);
  const twice = before?.node && gesture.time - before.time < DOUBLE_MS && isSamePlace(before, gesture);
  const opens = twice && nodeOf(view, before.node)?.opens;
  if (opens) return toggleBox(view, opens);
  select(view, gesture.node);
}

/** The graph may have moved in between, so the place on the screen counts. */
function isSamePlace(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y) <= TAP_PIXELS;
}

/** Left is on, right is back, wherever it happens. */
function swipe(view, start, end) {
  const dx = end.clientX - start.x;
  const dy = end.clientY - start.y;
  const isSwipe = Math.abs(dx) > SWIPE_PIXELS && Math.abs(dx) > 2 * Math.abs(dy) && end.timeStamp - start.time < SWIPE_MS;
  if (isSwipe) ACTIONS[dx < 0 ? "next" : "back"](view);
}

function listenToSwipes(view, element) {
  let start = null;
  element.addEventListener("pointerdown", (event) => {
    const onControl = event.target.closest("button, input, select");
    start = event.pointerType === "touch" && !onControl ? { x: event.clientX, y: event.clientY, time: event.timeStamp } : null;
  });
  element.addEventListener("pointerup", (event) => {
    if (start) swipe(view, start, event);
    start = null;
  });
}

function spread(pointers) {
  const [a, b] = [...pointers.values()];
  return b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
}

function pinch(view, pointers, apart) {
  const [a, b] = [...pointers.values()];
  const stage = view.canvas.getBoundingClientRect();
  const middle = { x: (a.x + b.x) / 2 - stage.left - stage.width / 2, y: (a.y + b.y) / 2 - stage.top - stage.height / 2 };
  if (apart > 0) zoomBy(view, spread(pointers) / apart, middle.x, middle.y);
}
