// The sheet of all heads: two pictures of opacity that take the theme's colours, and over them a button per head.

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".heads");
  const [layers, heads] = data.shape;
  if (root.dataset.shape !== data.shape.join()) build(root, layers, heads);
  for (const name of ["above", "below"]) {
    root.querySelector(`.${name}`).style.setProperty("--picture", `url(data:image/png;base64,${data[name]})`);
  }
  root.classList.toggle("signed", data.signed);
  mark(root, data.head);
  const choose = (head) => {
    mark(root, head);
    setTriggerValue("chosen", head);
  };
  root.onclick = (event) => {
    const button = event.target.closest("button");
    if (button) choose(place(button));
  };
  root.onkeydown = (event) => {
    const move = MOVES[event.key];
    const button = event.target.closest("button");
    if (!move || !button) return;
    event.preventDefault();
    event.stopPropagation();
    const [layer, head] = place(button);
    const next = [clamp(layer + move[0], layers), clamp(head + move[1], heads)];
    choose(next);
    at(root, next).focus();
  };
}

function build(root, layers, heads) {
  root.dataset.shape = `${layers},${heads}`;
  root.ariaLabel = `${layers} layers of ${heads} heads; the arrow keys choose one`;
  root.style.setProperty("--layers", layers);
  root.style.setProperty("--heads", heads);
  const made = [element("div", "picture above"), element("div", "picture below")];
  for (let head = 0; head < heads; head++) made.push(put(element("i", "number", head + 1), -1, head));
  for (let layer = 0; layer < layers; layer++) {
    made.push(put(element("i", "number", layer + 1), layer, -1));
    for (let head = 0; head < heads; head++) made.push(put(button(layer, head), layer, head));
  }
  root.replaceChildren(...made);
}

// The first row and column of the grid hold the numbers.
function put(made, layer, head) {
  made.style.gridArea = `${layer + 2} / ${head + 2}`;
  return made;
}

function element(kind, name, text = "") {
  const made = document.createElement(kind);
  made.className = name;
  made.textContent = text;
  made.ariaHidden = "true";
  return made;
}

function button(layer, head) {
  const made = document.createElement("button");
  made.type = "button";
  made.dataset.at = `${layer},${head}`;
  made.ariaLabel = made.title = `layer ${layer + 1}, head ${head + 1}`;
  return made;
}

function mark(root, head) {
  for (const one of root.querySelectorAll("button")) {
    const chosen = one.dataset.at === head.join();
    one.ariaPressed = String(chosen);
    one.tabIndex = chosen ? 0 : -1;
  }
}

function at(root, head) {
  return root.querySelector(`button[data-at="${head.join()}"]`);
}

function place(button) {
  return button.dataset.at.split(",").map(Number);
}

function clamp(place, count) {
  return Math.min(count - 1, Math.max(0, place));
}
