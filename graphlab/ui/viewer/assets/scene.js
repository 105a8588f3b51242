// What is visible after a step: pure functions of the scene and a step number.

const KEYFRAME_EVERY = 200;

/**
 * Everything visible after step k: the nearest keyframe and the changes since.
 * @returns {{values: Object, gradients: Object, sent: Object}}
 */
function stateAt(scene, k) {
  const start = Math.floor(k / KEYFRAME_EVERY) * KEYFRAME_EVERY;
  const key = start > 0 ? scene.keyframes[start] : null;
  const state = { values: { ...key?.values }, gradients: { ...key?.gradients }, sent: { ...key?.sent } };
  for (let i = key ? start + 1 : 0; i <= k; i += 1) {
    const step = scene.steps[i];
    Object.assign(state.values, step.values);
    Object.assign(state.gradients, step.gradients);
    Object.assign(state.sent, step.sent);
  }
  return state;
}

/** The grain of one press: what the reader chose, else what suits the size of the graph. */
function grainOf(view) {
  return view.prefs.grain ?? view.scene.grain;
}

/** The steps that one press shows together: those of step k's group, up to it. */
function stepsTogether(scene, k, grain) {
  const group = scene.steps[k].groups[grain];
  return scene.steps.slice(0, k + 1).filter((step) => step.groups[grain] === group);
}

/** Where one press of "next" or "back" leads from step k. */
function stepAfter(scene, k, grain) {
  let next = Math.min(k + 1, scene.steps.length - 1);
  const group = scene.steps[next].groups[grain];
  while (next + 1 < scene.steps.length && scene.steps[next + 1].groups[grain] === group) next += 1;
  return next;
}

function stepBefore(scene, k, grain) {
  const group = scene.steps[k].groups[grain];
  let before = k;
  while (before > 0 && scene.steps[before].groups[grain] === group) before -= 1;
  return before;
}

/**
 * Where step k of a picture is in another picture of the same pass, with other boxes open: after the last step that both
 * have, and after those of the boxes that were opened or closed, if the old picture had been through them.
 */
function sameStep(before, k, after) {
  const known = new Set(before.steps.map(stepKey));
  const places = new Map(after.steps.map((step, i) => [stepKey(step), i]));
  let common = k;
  while (common > 0 && !places.has(stepKey(before.steps[common]))) common -= 1;
  let same = common > 0 ? places.get(stepKey(before.steps[common])) : 0;
  if (common === k) return same;
  while (same + 1 < after.steps.length && !known.has(stepKey(after.steps[same + 1]))) same += 1;
  return same;
}

/** What a step is in every picture that shows it. */
function stepKey({ phase, node, user }) {
  return JSON.stringify([phase, node, user]);
}

/** A short text as it is read aloud. */
function aloud(text) {
  const words = { "−": "minus ", "=": "equals", "+": "plus", "·": "times", "∞": "infinity", "≈": "about" };
  return text.replace(/[−=+·∞≈]/g, (sign) => words[sign]);
}

/** Whether a typed guess equals the answer to three significant digits. */
function isRightGuess(guess, answer) {
  return guess === answer || guess.toPrecision(3) === answer.toPrecision(3);
}

/** A typed number, with either minus sign and either decimal mark; NaN if it is none. */
function typedNumber(text) {
  const plain = text.trim().replace(/[−–]/g, "-").replace(",", ".");
  return plain === "" ? NaN : Number(plain);
}
