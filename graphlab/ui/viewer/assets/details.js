// Everything about one node: beside the graph, on a phone as a sheet from below. Built when a node is chosen.

/** Choose a node (null: none). Selecting is local and at once; Python hears of it afterwards. */
function select(view, id) {
  view.selected = id;
  paint(view);
  if (id) uncover(view, id, view.part(".details"));
  view.tell("selected", id);
}

function paintDetails(view) {
  const panel = view.part(".details");
  const node = nodeOf(view, view.selected);
  panel.hidden = !node;
  const state = node ? stateAt(view.scene, view.step) : null;
  const shows = node ? `${view.scene.id} ${node.id} ${node.id in state.values} ${node.id in state.gradients} ${view.prefs.notation}` : "";
  if (panel.dataset.shows === shows) return;
  panel.dataset.shows = shows;
  panel.replaceChildren(...(node ? detailsOf(view, node, state) : []));
}

function detailsOf(view, node, state) {
  const close = make("button", "close", "×");
  close.type = "button";
  close.setAttribute("aria-label", "Close");
  close.addEventListener("click", () => select(view, null));
  const valueKnown = node.id in state.values;
  const whole = view.step === view.scene.steps.length - 1;
  const parts = [close, formula("h3", node.title, node.label)];
  if (node.fault) parts.push(make("p", "fault", node.fault));
  if (node.why) parts.push(make("p", "why", node.why));
  if (node.opens) parts.push(openButton(view, node));
  const list = make("dl");
  if (node.scope) list.append(...entry("In", make("span", "", node.scope)));
  if (node.box) list.append(...entry("Holds", make("span", "", node.box.counts)));
  if (node.shape) list.append(...entry("Shape", make("span", "", node.shape)));
  if (valueKnown) list.append(...entry("Value", ...quantity(node.value, node.heat.value)));
  if (node.gradient && node.id in state.gradients) list.append(...gradientEntry(view, node, whole, state));
  if (valueKnown && node.locals.length) list.append(...entry("Local derivatives", ...node.locals.map(localRow)));
  if (node.inputs.length) list.append(...entry("Inputs", links(view, node.inputs)));
  if (node.users.length) list.append(...entry("Used by", links(view, node.users)));
  parts.push(list);
  return parts;
}

function gradientEntry(view, node, whole, state) {
  const title = `${node.slot === "tangent" ? "Tangent" : "Gradient"} ${node.names[view.prefs.notation]}`;
  const sofar = state.gradients[node.id];
  const finished = whole || JSON.stringify(sofar) === JSON.stringify(node.gradient.short);
  if (finished) return entry(title, ...namedQuantity(node.names[view.prefs.notation], node.gradient, node.heat.gradient));
  return entry(title, make("span", "number", typeof sofar === "string" ? `${sofar} so far` : "not finished yet"));
}

function openButton(view, node) {
  const button = make("button", "open", "Open this box");
  button.type = "button";
  button.addEventListener("click", () => toggleBox(view, node.opens));
  return button;
}

function entry(term, ...content) {
  return [make("dt", "", term), make("dd", "", "", ...content)];
}

/** A formula, a heat map of an array, all digits, and a button that copies them. */
function quantity({ formula: svg, digits }, heat) {
  const copy = make("button", "quiet", "Copy");
  copy.type = "button";
  copy.hidden = !navigator.clipboard; // browsers offer it on https and on the own machine only
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(digits);
    copy.textContent = "Copied";
  });
  const row = make("div", "digits", "", make("code", "", digits.replaceAll("-", "−")), copy);
  return [...(svg ? [formula("div", svg, "")] : []), ...(heat ? [heatMap(heat)] : []), row];
}

/** The same, with its name in the notation chosen: "ē = c". */
function namedQuantity(name, { formula: svg, digits }, heat) {
  const named = make("div", "named", "", make("span", "", `${name} =`), formula("span", svg, ""));
  return [named, ...quantity({ formula: "", digits }, heat)];
}

function localRow(local) {
  const row = make("div", "local", "", formula("span", local.formula, ""));
  if (local.digits) row.append(make("code", "", `= ${local.digits.replaceAll("-", "−")}`));
  return row;
}

/** A holder for a formula that graphlab.render wrote (paths and escaped text). */
function formula(tag, svg, label) {
  const holder = make(tag, "formula-holder");
  holder.innerHTML = svg;
  if (label) holder.setAttribute("aria-label", aloud(label));
  return holder;
}

function links(view, ids) {
  const names = new Map(view.scene.nodes.map((node) => [node.id, node.name]));
  const buttons = ids.map((id) => {
    const button = make("button", "link", names.get(id));
    button.type = "button";
    button.addEventListener("click", () => {
      select(view, id);
      view.nodes.get(id).focus({ preventScroll: true });
    });
    return button;
  });
  return make("span", "links", "", ...buttons);
}
