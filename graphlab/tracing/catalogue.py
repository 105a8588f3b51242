"""Every sentence the tutor says about a step, as templates with named slots.

One place, so that the whole can be translated. Slots: {node} {user} {other} are names, {rule} {formula} formulas,
{value} {upstream} {local} {amount} {earlier} {total} numbers, {gradient} and {user_gradient} the gradients' names.
"""

START = {
    "scalars": "{inputs} {go} in. Press → to work out {node}.",
    "arrays": "{inputs} {go} filled in. Press → to work out {node}.",
    "tangent": "{inputs} {go} in. Press → to set {node} moving.",
    "no_values": "There are no steps yet: something that is needed has no value.",
    "nothing": "There is nothing to work out: the output is an input.",
    "plan": "This is a plan without numbers. Press → to see what is worked out after what.",
}
FORWARD = {
    "numbers": "{node} = {rule} = {numbers} {equals} {value}.",
    "plain": "{node} = {rule} {equals} {value}.",
    "shape": "{node} = {rule} has shape {shape}: {value}.",
    "plan": "{node} = {rule} has shape {shape}.",
    "plan_number": "{node} = {rule} is a number.",
    "nan": " That is not a number (nan): {inputs}.",
    "infinite": " That is infinite: {inputs}.",
}
BACKWARD = {
    "seed": "{gradient} = 1: when {node} grows by 1, {node} grows by 1. From here the gradient travels back.",
    "arrived": "{user} → {node}. {user_gradient} = {upstream} has arrived at {user}.",
    "arrived_array": "{user} → {node}. {user_gradient} has arrived at {user}.",
    "next": " {user} comes now because everything that uses {user} is finished.",
    "sends": " So {node} gets {upstream} · {factor} {equals} {amount}.",
    "sends_rule": " So {node} gets {amount_rule} = {amount}.",
    "sends_repeated": " So every entry of {node} gets {upstream}.",
    "sends_unchanged": " So {node} gets what arrived, unchanged: {amount}.",
    "sends_product": " So {node} gets what arrived times that, entry by entry: {amount}.",
    "sends_summed": " One {node} was used in many places, so what they send is added up: {amount}.",
    "fan_in": " {node} already holds {earlier}; this path adds {amount}: {earlier} + {added} {total_equals} {total}.",
    "fan_in_array": " {node} already holds a gradient; this path is added to it: {total}.",
    "silent": " Nothing arrives (0), so exactly 0 is sent, although the local derivative is {local}.",
    "nan": " That is not a number (nan): {upstream} · {factor} has no value.",
    "infinite": " That is infinite, because the local derivative is.",
}
OTHER_FACTOR = (
    " {user} = {rule}: if {node} grows by 1, {user} grows by {other}."
    " The local derivative is the other factor, {local}."
)
LOCAL = {
    ("add", 0): " {user} = {rule} grows by 1 when {node} grows by 1.",
    ("add", 1): " {user} = {rule} grows by 1 when {node} grows by 1.",
    ("sub", 0): " {user} = {rule} grows by 1 when {node} grows by 1.",
    ("sub", 1): " {user} = {rule} falls by 1 when {node} grows by 1.",
    ("neg", 0): " {user} = {rule} falls by 1 when {node} grows by 1.",
    ("mul", 0): OTHER_FACTOR,
    ("mul", 1): OTHER_FACTOR,
}
TANGENT = {
    "starts": "{tangent} = {total}: {node} moves at speed {total}, and we watch what follows.",
    "starts_array": "{tangent} = {total}: {node} moves in this direction, and we watch what follows.",
    "arrived": "{node} → {user}. {tangent} = {upstream} arrives at {user}.",
    "arrived_array": "{node} → {user}. {tangent} arrives at {user}.",
    "linear": " {user} = {rule}: the tangent takes the place of {node}.",
    "moves": " So {user} moves by {upstream} · {factor} {equals} {amount}.",
    "moves_rule": " So {user} moves by {amount_rule} = {amount}.",
    "moves_product": " So {user} moves by what arrived times that, entry by entry: {amount}.",
    "adds": " {user} already moves by {earlier}; this path adds {amount}: {earlier} + {added} {total_equals} {total}.",
    "adds_array": " {user} already moves; this path is added to it: {total}.",
}
LOCAL_GENERAL = " {user} = {rule}. {why} Here it is {formula} {equals} {local}."
LOCAL_NUMBER = " {user} = {rule}. {why} Here it is {local}."
LOCAL_RULE = " {user} = {rule}. {why}"
CAVEAT = " {caveat}"
CARE = " {care}"
SPOKEN = {
    "compute": "{node} is {value}",
    "compute_array": "{node} is worked out, shape {shape}",
    "plan": "{node} is worked out",
    "seed": "gradient of {node} is 1",
    "edge": "{user} sends {amount} back to {node}; gradient of {node} is {total}",
    "tangent": "tangent of {node} is {total}",
    "tangent_array": "{node} starts to move",
    "push": "{node} moves {user} by {amount}; tangent of {user} is {total}",
    "push_array": "{node} moves {user}",
    "edge_array": "{user} sends a gradient back to {node}",
}
FOLDED = {
    "forward": "{box} turns {inputs} into {results}: {counts}. Open it to see {them}.",
    "forward_alone": "{box} makes {results}: {counts}. Open it to see {them}.",
    "backward": "The gradient has come back through {box} to {node}; its size was {above} above and {below} below.",
    "fan_in": " {node} already holds a gradient; this path is added to it, and its size is {total} now.",
    "tangent": "The tangent has gone through {box}; its size was {before} before and is {after} behind it.",
    "spoken_forward": "{box} is worked out",
    "spoken_backward": "the gradient has come back through {box}",
    "spoken_tangent": "the tangent has gone through {box}",
    "fault": "{node}: {fault}",
    "parts_differ": "{node} is opened: its parts, worked out one by one, lose digits that {op} itself saves.",
}
CONTENTS = {
    "operations": ("1 operation", "{count:,} operations"),
    "parameters": ("1 parameter", "{count:,} parameters"),
    "arrays": ("1 array of parameters", "{count:,} arrays of parameters"),
}
TOUR = {
    "question": "If {node} grows by 0.1, what happens to {output}?",
    "right": "Yes: {answer}. Try it: {output} becomes {moved}.",
    "wrong": "You said {guess}; it is {answer}. Try it: {output} becomes {moved}.",
    "note": "{gradient} = {slope}: that is the {change} per 0.1 you saw.",
}
END = "Your turn: type a formula, or hide the numbers and predict."
