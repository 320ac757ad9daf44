// − and + beside a number. They are made here: without script the field is a number field as it comes.

import { say } from "./status.js";
import { pageWords } from "./words.js";

/** Puts a stepper around each number of a form. */
export function addSteppers(form) {
  for (const input of form.querySelectorAll(".field > input[type=number]")) addStepper(input);
}

function addStepper(input) {
  const label = input.labels[0]?.textContent.trim() ?? input.name;
  const less = button("less", pageWords.fewer(label));
  const more = button("more", pageWords.more(label));

  // At its end a button stays where it is and keeps the focus: disabled, it would lose it.
  function update() {
    const value = input.valueAsNumber;
    less.setAttribute("aria-disabled", String(value <= Number(input.min)));
    more.setAttribute("aria-disabled", String(input.max !== "" && value >= Number(input.max)));
  }

  function step(button, move) {
    if (button.getAttribute("aria-disabled") === "true") return;
    // stepUp and stepDown keep to min, max and step, also from a number between two steps.
    if (Number.isNaN(input.valueAsNumber)) input.value = input.min || "0";
    else move();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
    say(`${label}: ${input.value}`);
  }

  less.addEventListener("click", () => step(less, () => input.stepDown()));
  more.addEventListener("click", () => step(more, () => input.stepUp()));
  input.addEventListener("input", update);
  input.form.addEventListener("change", update);
  input.before(less);
  input.after(more);
  update();
}

function button(kind, label) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `step step-${kind}`;
  made.setAttribute("aria-label", label);
  return made;
}
