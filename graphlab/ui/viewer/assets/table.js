// The pass as on paper: a real table, also what is printed and what a screen reader walks through.

function loadTable(view) {
  const tangents = view.scene.kind === "tangent";
  const titles = ["Step", "Node", "Value", "Upstream", "Local derivative", "Contribution", "Gradient"];
  if (tangents) titles.splice(3, 4, "Arriving", "Local derivative", "Passed on", "Tangent");
  const head = make("tr", "", "", ...titles.map((title) => Object.assign(make("th", "", title), { scope: "col" })));
  view.rows = view.scene.table.map((row) => tableRow(view, row));
  const body = make("tbody", "", "", ...view.rows.map(({ element }) => element));
  const caption = make("caption", "unseen", `${tangents ? "Forward mode" : "Forward and backward pass"} of ${view.scene.source}`);
  view.part(".paper").replaceChildren(make("table", "", "", caption, make("thead", "", "", head), body));
}

/** Whether the table is shown: somebody wants it, or only it. */
function hasTable(view) {
  return view.prefs.table || view.tableOnly;
}

function tableRow(view, row) {
  const jump = make("button", "link", row.step ? String(row.step) : "given");
  jump.type = "button";
  jump.addEventListener("click", () => goTo(view, row.step));
  const node = Object.assign(make("th"), { scope: "row" });
  const cells = ["value", "upstream", "local", "contribution", "gradient"].map((name) => make("td", name));
  return { row, node, cells, element: make("tr", "", "", make("td", "", "", jump), node, ...cells) };
}

function paintTable(view) {
  const names = new Map(view.scene.nodes.map((node) => [node.id, node]));
  for (const { row, node, cells, element } of view.rows) {
    const known = row.step <= view.step;
    const current = row.step === view.step && row.step > 0;
    element.classList.toggle("current", current);
    element.classList.toggle("later", !known);
    if (current) element.setAttribute("aria-current", "step");
    else element.removeAttribute("aria-current");
    const sender = row.user ?? row.source;
    node.textContent = sender ? `${names.get(sender).name} → ${names.get(row.node).name}` : row.rule;
    const texts = rowTexts(view, row, names);
    cells.forEach((cell, i) => {
      cell.textContent = known ? texts[i] : texts[i] && view.prefs.predict ? "?" : "";
    });
  }
}

/** Gradients carry their name, so that a number never stands alone: "∂L/∂e = −2". */
function rowTexts(view, row, names) {
  const named = (id, number) => (number ? `${names.get(id).names[view.prefs.notation]} = ${number}` : "");
  const sender = row.user ?? row.source;
  return [row.value, sender ? named(sender, row.upstream) : "", row.local, row.contribution, named(row.node, row.gradient)];
}
