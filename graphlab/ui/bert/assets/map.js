// One head's map: painted once from the numbers, a pixel each, then shown enlarged with its names and the chosen cell.
// Hover, a tap or the arrow keys read a value; a tap or a key also chooses it.

const LABELS_UP_TO = 64;
const SMALLEST_LABELLED = 14;
const LARGEST = 32;
const LIFT = 0.7; // as in pictures.py
const WIDEST = 4096; // pixels of a canvas that every browser can hold
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const maps = new WeakMap();

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".map");
  let map = maps.get(parentElement);
  if (!map || map.root !== root) {
    map = create(root);
    maps.set(parentElement, map);
  }
  map.tell = (cell) => setTriggerValue("chosen", cell);
  receive(map, data);
}

function create(root) {
  const map = { root, canvas: root.querySelector("canvas"), painted: document.createElement("canvas"), tokens: [] };
  map.canvas.addEventListener("pointermove", (event) => say(map, cellAt(map, event)));
  map.canvas.addEventListener("pointerleave", () => say(map, map.cell));
  map.canvas.addEventListener("click", (event) => choose(map, cellAt(map, event)));
  map.canvas.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    choose(map, inside(map, [map.cell[0] + move[0], map.cell[1] + move[1]]));
    show(map);
  });
  new ResizeObserver(() => map.values && draw(map)).observe(root);
  // A change of theme is a change of colours and nothing else; maps.css lets the ink's take a moment, which tells it.
  root.querySelector("i.ink").addEventListener("transitionend", () => map.values && (paint(map), draw(map)));
  return map;
}

function receive(map, { values, tokens, cell, signed, revision }) {
  if (values !== map.packed) {
    map.packed = values;
    map.values = new Float32Array(Uint8Array.from(atob(values), (c) => c.charCodeAt(0)).buffer);
    map.largest = map.values.reduce((top, value) => Math.max(top, Math.abs(value)), 0) || 1;
  }
  Object.assign(map, { tokens, signed });
  if (revision !== map.revision) Object.assign(map, { revision, cell });
  map.cell = inside(map, map.cell);
  map.root.querySelector(".from").textContent = signed ? number(-map.largest) : "0";
  map.root.querySelector(".to").textContent = number(map.largest);
  map.root.classList.toggle("signed", signed);
  const moved = signed ? "gradients" : "weights";
  map.canvas.ariaLabel = `Map of ${tokens.length} by ${tokens.length} ${moved}; the arrow keys read it cell by cell`;
  paint(map);
  draw(map);
  say(map, map.cell);
}

function inside(map, cell) {
  return cell.map((place) => Math.min(map.tokens.length - 1, Math.max(0, place)));
}

function choose(map, cell) {
  if (!cell) return;
  map.cell = cell;
  draw(map);
  say(map, cell);
  map.tell(cell);
}

function say(map, cell) {
  if (!cell) return;
  const [row, column] = cell;
  const value = map.values[row * map.tokens.length + column];
  map.root.querySelector(".reading").textContent = `${map.tokens[row]} → ${map.tokens[column]}: ${number(value)}`;
}

function number(value) {
  const text = value === 0 ? "0" : Math.abs(value) < 1e-3 ? value.toExponential(2) : value.toPrecision(3);
  return text.replaceAll("-", "−");
}

function cellAt(map, event) {
  const box = map.canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - map.margin) / map.size);
  const row = Math.floor((event.clientY - box.top - map.margin) / map.size);
  const last = map.tokens.length - 1;
  return row < 0 || column < 0 || row > last || column > last ? null : [row, column];
}

// Scroll so that the chosen cell can be seen.
function show({ root, cell, margin, size }) {
  const box = root.querySelector(".scroll");
  const [top, left] = cell.map((place) => margin + place * size);
  box.scrollTop = Math.min(Math.max(box.scrollTop, top + size - box.clientHeight), top);
  box.scrollLeft = Math.min(Math.max(box.scrollLeft, left + size - box.clientWidth), left);
}

function colour(map, name) {
  return getComputedStyle(map.root.querySelector(`i.${name}`)).color;
}

function paint(map) {
  const n = map.tokens.length;
  const [above, below] = [map.signed ? "above" : "value", "value"].map((name) => colour(map, name).match(/[\d.]+/g));
  map.painted.width = map.painted.height = n;
  const context = map.painted.getContext("2d");
  const picture = context.createImageData(n, n);
  map.values.forEach((value, place) => {
    const [red, green, blue] = value > 0 ? above : below;
    picture.data.set([red, green, blue, 255 * (Math.abs(value) / map.largest) ** LIFT], 4 * place);
  });
  context.putImageData(picture, 0, 0);
}

function draw(map) {
  const { canvas, tokens, cell, painted } = map;
  const n = tokens.length;
  const context = canvas.getContext("2d");
  const labelled = n <= LABELS_UP_TO;
  const font = `13px ${getComputedStyle(map.root).fontFamily}`;
  context.font = font;
  map.margin = labelled ? 10 + Math.ceil(Math.max(...tokens.map((token) => context.measureText(token).width))) : 2;
  const room = Math.max(200, map.root.clientWidth - map.margin - 2);
  map.size = Math.max(labelled ? SMALLEST_LABELLED : 1, Math.min(LARGEST, Math.floor(room / n)));
  Object.assign(canvas.dataset, { margin: map.margin, size: map.size });
  const side = map.margin + n * map.size + 2;
  const ratio = Math.min(window.devicePixelRatio || 1, WIDEST / side);
  canvas.width = canvas.height = Math.round(side * ratio);
  canvas.style.width = canvas.style.height = `${side}px`;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(painted, map.margin, map.margin, n * map.size, n * map.size);
  context.font = font;
  context.fillStyle = context.strokeStyle = colour(map, "ink");
  if (labelled) label(context, map);
  context.globalAlpha = 0.25;
  context.lineWidth = 1;
  context.strokeRect(map.margin - 0.5, map.margin - 0.5, n * map.size + 1, n * map.size + 1);
  context.globalAlpha = 1;
  context.lineWidth = 2;
  const [top, left] = cell.map((place) => map.margin + place * map.size);
  const grown = Math.max(0, (8 - map.size) / 2); // a tiny cell gets a frame that can be seen
  context.strokeRect(left - grown, top - grown, map.size + 2 * grown, map.size + 2 * grown);
}

function label(context, { tokens, margin, size }) {
  context.textBaseline = "middle";
  tokens.forEach((token, place) => {
    const middle = margin + (place + 0.5) * size;
    context.textAlign = "right";
    context.fillText(token, margin - 6, middle);
    context.save();
    context.translate(middle, margin - 6);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillText(token, 0, 0);
    context.restore();
  });
}
