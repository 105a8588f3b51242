// The formula field. Python hears of a text when it is entered, when the field is left, or when typing pauses.

const PAUSE_MS = 900;
const SIGNS = ["·", "⊙", "@", "ᵀ", "^", "′", "σ", "√", "(", ")", "="];
const TYPED = { "ᵀ": ".T", "′": "'", "√": "sqrt(", "⊙": " ⊙ " };
const fields = new WeakMap();

export default function (component) {
  const { parentElement, data, setStateValue } = component;
  const root = parentElement.querySelector(".formula-box");
  let field = fields.get(parentElement);
  if (!field || field.root !== root) {
    field = createField(root);
    fields.set(parentElement, field);
  }
  field.setStateValue = setStateValue;
  receive(field, data);
}

function createField(root) {
  const field = { root, area: root.querySelector("textarea"), revision: null, told: null, timer: 0, names: "" };
  field.area.addEventListener("input", () => {
    fit(field);
    clearTimeout(field.timer);
    field.timer = setTimeout(() => tell(field), PAUSE_MS);
  });
  field.area.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      tell(field);
    }
  });
  field.area.addEventListener("blur", () => tell(field));
  root.querySelector(".apply").addEventListener("click", () => tell(field));
  return field;
}

function receive(field, { text, revision, error, names }) {
  if (field.revision !== revision) {
    field.revision = revision;
    field.area.value = text;
    field.told = text;
  }
  fit(field);
  const wrong = Boolean(error.message);
  field.root.classList.toggle("wrong", wrong);
  field.area.setAttribute("aria-invalid", String(wrong));
  field.root.querySelector(".fault").hidden = !wrong;
  field.root.querySelector(".caret").textContent = error.caret || "";
  field.root.querySelector(".message").textContent = error.message || "";
  field.root.querySelector(".hint").textContent = error.hint || "";
  if (field.names !== names.join()) {
    field.names = names.join();
    field.root.querySelector(".keys").replaceChildren(...[...SIGNS, ...names].map((sign) => keyFor(field, sign)));
  }
}

function keyFor(field, sign) {
  const key = document.createElement("button");
  key.type = "button";
  key.textContent = sign;
  key.addEventListener("pointerdown", (event) => event.preventDefault());
  key.addEventListener("click", () => {
    field.area.setRangeText(TYPED[sign] ?? sign, field.area.selectionStart, field.area.selectionEnd, "end");
    field.area.dispatchEvent(new Event("input"));
  });
  return key;
}

function tell(field) {
  clearTimeout(field.timer);
  if (field.area.value === field.told) return;
  field.told = field.area.value;
  field.setStateValue("text", field.area.value);
}

/** As high as its text; the stylesheet sets the limit. */
function fit(field) {
  field.area.style.height = "auto";
  field.area.style.height = `${field.area.scrollHeight}px`;
}
