// The drawn graph: loaded once, afterwards only texts and classes change.

/** Put the drawing on the stage and remember its parts by id. */
function loadGraph(view, direction) {
  view.direction = direction;
  // This SVG is written by graphlab.render, which escapes every learner's text.
  view.part(".glyphs").innerHTML = view.scene.glyphs;
  view.canvas.innerHTML = view.scene.svg[direction];
  view.svg = view.canvas.firstElementChild;
  view.svg.setAttribute("role", "group");
  view.bounds = view.svg.getAttribute("viewBox").split(" ").map(Number);
  view.nodes = partsById(view.svg, ".node");
  view.edges = partsById(view.svg, ".edge");
  view.labels = partsById(view.svg, ".label-of");
  for (const node of view.scene.nodes) {
    const part = view.nodes.get(node.id);
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "0");
  }
  placeBoxes(view);
  addHandles(view);
}

function nodeOf(view, id) {
  return view.scene.nodes.find((node) => node.id === id);
}

function partsById(svg, selector) {
  return new Map([...svg.querySelectorAll(selector)].map((part) => [part.dataset.id, part]));
}

/** Remember where every box stands, in the drawing's own units. */
function placeBoxes(view) {
  view.boxes = new Map();
  for (const [id, part] of view.nodes) {
    const [x, y] = part.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const box = part.querySelector(".box");
    view.boxes.set(id, { x, y, width: Number(box.getAttribute("width")), height: Number(box.getAttribute("height")) });
  }
}

/** Show a state: fill the slots, label the edges, mark what the current step works on. */
function paintGraph(view, state) {
  const together = stepsTogether(view.scene, view.step, grainOf(view));
  const phases = together.map((step) => step.phase);
  const backward = phases.includes("backward") || phases.includes("seed");
  const currentNodes = new Set(together.map((step) => step.node));
  const currentEdges = new Set(together.flatMap((step) => step.edges));
  view.svg.dataset.notation = view.prefs.notation;
  for (const node of view.scene.nodes) paintNode(view, node, state, currentNodes.has(node.id), backward || phases.includes("tangent"));
  for (const [id, part] of view.edges) paintEdge(view, id, part, state, currentEdges.has(id), backward);
}

function paintNode(view, node, state, current, backward) {
  const part = view.nodes.get(node.id);
  const value = state.values[node.id] ?? "";
  const gradient = state.gradients[node.id] ?? "";
  fillSlot(part.querySelector(".slot.value"), value);
  fillSlot(part.querySelector(".slot.gradient"), gradient);
  part.classList.toggle("current", current);
  part.classList.toggle("backward", current && backward);
  part.classList.toggle("selected", node.id === view.selected);
  part.setAttribute("aria-pressed", String(node.id === view.selected));
  const label = nodeLabel(node, value, gradient);
  if (part.getAttribute("aria-label") === label) return;
  part.setAttribute("aria-label", label);
  part.querySelector("title").textContent = value ? `${node.label} = ${node.value.digits}` : node.label;
}

/** "e = a plus d, value 5, gradient minus 2" */
function nodeLabel(node, value, gradient) {
  const known = [node.label];
  if (typeof value === "string" && value && node.role !== "constant") known.push(`value ${value}`);
  if (typeof gradient === "string" && gradient) known.push(`${node.slot} ${gradient}`);
  if (node.fault) known.push(`fault: ${node.fault}`);
  if (node.opens) known.push("can be opened");
  return aloud(known.join(", "));
}

/** The twin of drawing.write_slot: a number is a text, an array is cells and shades. */
function fillSlot(slot, content) {
  if (!slot) return;
  slot.classList.toggle("known", content !== "");
  const number = slot.querySelector(".number");
  if (number) {
    const text = typeof content === "string" ? content : "";
    if (number.textContent !== text) number.textContent = text;
  } else if (content !== "" && slot.filled !== content) {
    slot.filled = content;
    fillCells(slot.querySelector(".grid"), content);
  }
}

function fillCells(grid, content) {
  const numbers = grid.dataset.numbers === "1";
  grid.querySelectorAll(".shade").forEach((cell, i) => {
    const shade = content.shades[i] ?? 0;
    cell.classList.toggle("below", shade < 0);
    cell.setAttribute("fill-opacity", numbers ? Math.abs(shade) * 0.32 + 0.03 : Math.abs(shade) * 0.92 + 0.06);
  });
  grid.querySelectorAll(".cell").forEach((cell, i) => {
    cell.textContent = content.cells[i] ?? "";
  });
}

function paintEdge(view, id, part, state, current, backward) {
  part.classList.toggle("sending", current);
  part.classList.toggle("backward", current && backward);
  const label = view.labels.get(id)?.firstElementChild;
  if (!label) return;
  const sent = state.sent[id];
  const full = view.prefs.level !== "sentence" && sent?.full;
  const text = sent ? (full ? sent.full : sent.brief) : "";
  if (label.textContent !== text) label.textContent = text;
}

/** While an input is nudged, the values it would give stand above the boxes whose value is known. */
function paintNudged(view, state) {
  const nudge = view.scene.nudges[view.nudge?.input];
  for (const [id, part] of view.nodes) {
    const badge = part.querySelector(".nudged");
    if (!badge) continue;
    const moved = nudge?.values[id]?.[view.nudge.index];
    badge.textContent = moved !== undefined && state.values[id] !== undefined && moved !== state.values[id] ? `→ ${moved}` : "";
  }
}
