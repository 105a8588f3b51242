// Below the graph: the sentence of the step, and one card (the tour's question, a guess, or a nudged input).

function paintWords(view) {
  const { scene, step, prefs } = view;
  const together = stepsTogether(scene, step, grainOf(view));
  const words = together.map((one) => one.words[prefs.notation]);
  const first = step === 0 && scene.tour?.start;
  view.part(".said").textContent = first || words.map((one) => one.sentence).join(" ");
  paintFormula(view, prefs.level === "sentence" ? [] : together);
  view.part(".note").textContent = view.reply || noteAt(view);
  paintCard(view);
  const spoken = together.map((one) => one.spoken).join(" ");
  const live = view.part(".spoken");
  if (view.said !== `${scene.id} ${step}`) live.textContent = view.reply ? `${aloud(view.reply)} ${spoken}` : spoken;
  view.said = `${scene.id} ${step}`;
}

function noteAt(view) {
  const { tour, steps } = view.scene;
  if (!tour) return "";
  const notes = [tour.notes?.[view.step]?.[view.prefs.notation]];
  if (view.step === steps.length - 1) notes.push(tour.end);
  return notes.filter(Boolean).join(" ");
}

function paintFormula(view, together) {
  const place = view.part(".step-formula");
  // Written by graphlab.render: paths, no learner's text.
  const lines = together.map((one) => {
    const line = make("div", "line");
    line.innerHTML = one.words[view.prefs.notation].formula;
    if (line.firstChild) line.append(make("span", "", one.numbers));
    return line;
  });
  place.replaceChildren(...lines.filter((line) => line.firstChild));
  place.hidden = !place.firstChild;
}

/** At most one card: a guess while predicting, else the tour's question, else a nudged input. */
function paintCard(view) {
  const question = view.scene.tour?.question;
  const asks = question && view.step === question.after && view.tour.wanted;
  let kind = "";
  if (view.prefs.predict && view.step < view.scene.steps.length - 1) kind = `guess ${view.step}`;
  else if (asks && view.tour.answer === null) kind = "question";
  else if (view.nudge) kind = `nudge ${view.nudge.input} ${asks}`;
  const card = view.part(".card");
  const shows = `${view.scene.id} ${kind} ${view.prefs.notation}`;
  if (card.dataset.shows !== shows) {
    card.dataset.shows = shows;
    card.replaceChildren(...cardContent(view, kind));
  }
  if (kind.startsWith("nudge")) paintNudgeCard(view, card);
}

function cardContent(view, kind) {
  if (kind.startsWith("guess")) return guessCard(view);
  if (kind === "question") return questionCard(view);
  if (kind.startsWith("nudge")) return nudgeCard(view);
  return [];
}

/** An element with a class, a text and children. */
function make(tag, className = "", text = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  element.append(...children);
  return element;
}

// ---- the tour's question -------------------------------------------------------------------------------------------
function questionCard(view) {
  const { text, choices } = view.scene.tour.question;
  const buttons = choices.map((choice, i) => {
    const button = make("button", "choice", "", make("kbd", "", String(i + 1)), make("span", "", choice));
    button.type = "button";
    button.addEventListener("click", () => answerQuestion(view, i));
    return button;
  });
  return [make("span", "asked", text), ...buttons];
}

/** Reply kindly, and let the learner see for themselves: the input becomes a slider, moved by 0.1. */
function answerQuestion(view, choice) {
  const { question, nudge } = view.scene.tour;
  view.tour.answer = choice;
  view.reply = question.replies[choice];
  if (nudge && view.scene.nudges[nudge]) {
    const tenth = view.scene.nudges[nudge].deltas.indexOf("0.1");
    startNudge(view, nudge, { index: tenth, byTour: true });
  } else {
    paint(view);
  }
  showWords(view);
  view.part(".spoken").textContent = aloud(view.reply);
}

function isQuestionOpen(view) {
  return view.part(".card").querySelector(".choice") !== null;
}

// ---- predicting ----------------------------------------------------------------------------------------------------
function guessCard(view) {
  const next = view.scene.steps[view.step + 1];
  const node = view.scene.nodes.find((one) => one.id === next.node);
  const what = next.phase === "forward" ? node.name : node.names[view.prefs.notation];
  const label = make("label", "asked", `What does ${what} become?`);
  if (next.answer === null || grainOf(view) !== "edge") return [make("span", "asked", `${label.textContent} Press → to see.`)];
  const field = make("input", "guess");
  Object.assign(field, { type: "text", inputMode: "text", autocomplete: "off", placeholder: "your guess, or just →" });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && field.value.trim()) checkGuess(view, what, typedNumber(field.value), next.answer);
    else if (event.key === "Enter") ACTIONS.next(view);
  });
  label.append(field);
  return [label];
}

function checkGuess(view, what, guess, answer) {
  const node = view.scene.steps[view.step + 1];
  const shown = node.phase === "forward" ? node.values[node.node] : node.gradients[node.node];
  if (Number.isNaN(guess)) {
    view.reply = "A number, please: for example −2 or 0.5.";
    return paint(view);
  }
  const reply = isRightGuess(guess, answer)
    ? `Yes: ${what} = ${shown}.`
    : `You said ${String(guess).replace("-", "−")}; it is ${shown}. The sentence says why.`;
  goTo(view, stepAfter(view.scene, view.step, grainOf(view)), reply);
  view.part(".guess")?.focus();
}

// ---- nudging an input ----------------------------------------------------------------------------------------------
/** Let an input be moved ("" : none). What the tour starts ends with the next step. */
function startNudge(view, input, { index = -1, byTour = false } = {}) {
  const nudge = view.scene.nudges[input];
  const middle = nudge ? Math.floor(nudge.deltas.length / 2) : 0;
  view.nudge = nudge ? { input, index: index < 0 ? middle : index, byTour } : null;
  paint(view);
}

function nudgeCard(view) {
  const nudge = view.scene.nudges[view.nudge.input];
  const slider = make("input", "nudge-slider");
  Object.assign(slider, { type: "range", min: 0, max: nudge.deltas.length - 1, step: 1, value: view.nudge.index });
  slider.addEventListener("input", () => {
    view.nudge.index = Number(slider.value);
    paint(view);
  });
  slider.setAttribute("aria-label", `Move ${nudge.name}`);
  const close = make("button", "quiet", "Done");
  close.type = "button";
  close.addEventListener("click", () => startNudge(view, ""));
  return [make("span", "nudge-name"), slider, make("span", "nudge-line"), close];
}

function paintNudgeCard(view, card) {
  const nudge = view.scene.nudges[view.nudge.input];
  const delta = nudge.deltas[view.nudge.index];
  const signed = delta.startsWith("−") ? `− ${delta.slice(1)}` : `+ ${delta}`;
  const output = nudge.values[view.scene.output][view.nudge.index];
  const name = view.scene.nodes.find((node) => node.id === view.scene.output).name;
  card.querySelector(".nudge-slider").value = view.nudge.index;
  card.querySelector(".nudge-name").textContent = `${nudge.name} ${signed}`;
  const slope = view.nudge.byTour ? "" : ` ${nudge.lines[view.nudge.index]}.`; // the tour has not met slopes yet
  card.querySelector(".nudge-line").textContent = `${name} = ${output}.${slope}`;
}
