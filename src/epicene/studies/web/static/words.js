// The words of an item: what a written text changes of its source, and which words are marked.

function prepareWords(form) {
  for (const view of form.querySelectorAll("[data-compare]")) compareLive(form, view);
  for (const output of form.querySelectorAll("[data-marked]")) listMarked(form, output);
}

function compareLive(form, view) {
  const area = form.elements.namedItem(view.dataset.compare);
  const [before, after] = ["before", "after"].map((side) =>
    view.querySelector(`[data-side="${side}"]`),
  );
  const show = () => {
    const [left, right] = difference(view.dataset.source, area.value);
    before.replaceChildren(...marked(left));
    after.replaceChildren(...marked(right));
    if (view.dataset.sameWords) {
      const [wanted, given] = [view.dataset.source, area.value].map(countWords);
      view.querySelector("output").textContent = `${given} / ${wanted}`;
      view.classList.toggle("wrong", given !== wanted);
    }
  };
  area.addEventListener("input", show);
  show();
}

// As the server counts: between blanks.
function countWords(text) {
  return text.split(/\s+/u).filter(Boolean).length;
}

function wordControls(form, question) {
  return [...form.querySelectorAll("[data-span]")].filter(
    (control) => control.name === `answer.${question}`,
  );
}

function listMarked(form, output) {
  const controls = wordControls(form, output.dataset.marked);
  const show = () => {
    output.textContent = controls
      .filter((control) => (control.type === "checkbox" ? control.checked : control.value))
      .map((control) => control.parentElement.querySelector("span").textContent)
      .join(", ");
    for (const control of controls) {
      const on = control.type === "checkbox" ? control.checked : control.value !== "";
      control.parentElement.classList.toggle("on", on);
    }
  };
  for (const control of controls) control.addEventListener("change", show);
  // A word that gets several names is named by pointing at it, too.
  for (const control of controls.filter((each) => each.tagName === "SELECT")) {
    control.previousElementSibling.addEventListener("click", () => {
      control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
      control.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
  show();
}

// From word to word, the way the text runs.
function moveWord(control, key) {
  const words = wordControls(control.form, control.name.slice("answer.".length));
  const leftwards = getComputedStyle(control.closest(".text")).direction === "rtl";
  const step = (key === "ArrowRight") === leftwards ? -1 : 1;
  words[words.indexOf(control) + step]?.focus();
}
