// The owner's pages: keys of the first disagreement, links to copy, progress that updates itself.

document.body.classList.add("scripted");
const first = asForm();
if (first) {
  prepareWords(first);
  showAsked(first);
  first.addEventListener("change", () => showAsked(first));
}

// What cannot be taken back is asked about first.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// --- links -------------------------------------------------------------------------------------

for (const button of document.querySelectorAll(".copy")) {
  const link = button.previousElementSibling;
  button.hidden = false;
  link.addEventListener("focus", () => link.select());
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(link.value);
    } catch {
      // Browsers have a clipboard only for HTTPS and for this machine.
      link.select();
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
}

// --- live progress -----------------------------------------------------------------------------

const EVERY = 5000; // milliseconds
const live = document.getElementById("live");

// Replace the parts of the page that differ from a page loaded now, and keep the focus.
async function update() {
  const reply = await fetch(location.href);
  if (!reply.ok) return;
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = fresh.getElementById(part.id);
    if (!now || now.outerHTML === part.outerHTML) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const all = (within) => [...within.querySelectorAll("a, button")];
    const same = focused && all(now).find((each) => each.outerHTML === focused.outerHTML);
    part.replaceWith(document.adoptNode(now));
    same?.focus();
  }
}

if (live) {
  let known = null;
  const watch = async () => {
    let said = "";
    try {
      // Not in the background: nobody looks, and a laptop saves its battery.
      if (document.visibilityState === "visible") {
        const reply = await fetch("/api/owner/progress");
        if (reply.status === 404) {
          said = "You are logged out; open your link again.";
        } else if (reply.ok) {
          const numbers = await reply.text();
          if (known !== null && numbers !== known) await update();
          known = numbers;
        }
      }
    } catch {
      said = "The server cannot be reached; trying again.";
    }
    live.hidden = !said;
    if (live.textContent !== said) live.textContent = said;
    setTimeout(watch, EVERY);
  };
  document.addEventListener("visibilitychange", () => (known ??= ""));
  watch();
}
