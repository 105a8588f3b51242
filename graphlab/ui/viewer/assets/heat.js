// A large array as a heat map, in the details of a node: values in one hue, gradients diverging around 0.

const LARGEST_CELL = 30;
const MAP_WIDTH = 296;

/** The map, its key, and a line that says which cell the pointer is on. */
function heatMap({ rows, columns, shades, signed, low, high, means, numbers }) {
  const cell = Math.min(LARGEST_CELL, MAP_WIDTH / columns);
  const drawing = svgPart("svg", { class: `heat ${signed ? "gradient" : "value"}`, width: cell * columns, height: cell * rows, role: "img" });
  drawing.setAttribute("aria-label", aloud(`Heat map, ${rows} by ${columns}, from ${low} to ${high}`));
  shades.forEach((shade, k) => {
    const place = { x: (k % columns) * cell, y: Math.floor(k / columns) * cell, width: cell, height: cell };
    const rect = svgPart("rect", { ...place, "fill-opacity": Math.abs(shade) * 0.92 + 0.06, "data-cell": k });
    if (shade < 0) rect.classList.add("below");
    drawing.append(rect);
  });
  const key = make("div", `key ${signed ? "gradient" : "value"}`, "", make("span", "", low), make("i"), make("span", "", high));
  const rest = means ? "Each cell is the mean of a block." : "";
  const pointed = make("figcaption", "", rest);
  drawing.addEventListener("pointerover", ({ target }) => {
    const k = Number(target.dataset.cell);
    const place = `row ${Math.floor(k / columns) + 1}, column ${(k % columns) + 1}`;
    pointed.textContent = target.dataset.cell ? `${means ? "Mean of block" : ""} ${place}: ${numbers[k]}` : rest;
  });
  drawing.addEventListener("pointerleave", () => (pointed.textContent = rest));
  return make("figure", "heat-map", "", drawing, key, pointed);
}
