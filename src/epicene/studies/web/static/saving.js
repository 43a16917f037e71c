// Saving: an answer is kept in the browser until the server has it, sent again until it has, and
// counts once however often it arrives. Without this script the same forms work by themselves.

const SAY = JSON.parse(document.body.dataset.words || "{}");
const STORAGE_KEY = document.body.dataset.storageKey;
const OURS = `epicene ${STORAGE_KEY} `;
const LONGEST_PAUSE = 30_000; // milliseconds
const PATIENCE = 20_000;
const READING = 20_000;
const GLANCE = 5_000;

let pause = 1000;
let waiting = null;
let sending = false;
let isSetAside = false; // an answer, since the participant was last told so
let isCutOff = false; // the server could not be reached for taking an answer back
let firstShown = Date.now(); // the item on the page, by the clock of this device

function tell(text, wrong = false) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.toggle("wrong", wrong);
  // It stays in view, over the page: nothing that has the focus may be behind it.
  const height = text ? `${status.offsetHeight + 8}px` : "0px";
  document.documentElement.style.setProperty("--status-height", height);
  const field = document.activeElement;
  if (wrong && field?.matches("textarea, input")) field.scrollIntoView({ block: "nearest" });
}

// Messages that hold only until something else is filled in.
function stopTelling() {
  const { textContent } = document.getElementById("status");
  if ([SAY.saved, SAY.missing, SAY.same_words, SAY.whole_number].includes(textContent)) tell("");
}

// What is wrong with an answer, beside its question, until it is changed.
function complain(form, question, text) {
  for (const each of form.querySelectorAll(".error")) each.remove();
  for (const each of questionsOf(form)) each.classList.toggle("invalid", each === question);
  if (!question) return;
  const error = document.createElement("p");
  error.className = "error";
  error.textContent = text;
  question.querySelector("legend").after(error);
}

// --- what the browser keeps --------------------------------------------------------------------

const memory = new Map(); // where the browser keeps nothing

function keep(name, value) {
  memory.set(OURS + name, JSON.stringify(value));
  try {
    localStorage.setItem(OURS + name, JSON.stringify(value));
  } catch {
    // Full or forbidden: the copy in memory lasts as long as the page.
  }
}

function keptText(name) {
  const text = memory.get(OURS + name);
  try {
    return text ?? localStorage.getItem(OURS + name);
  } catch {
    return text ?? null;
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null; // something else wrote there
  }
}

// Only if unchanged: another window may have stored something newer there.
function forget(name, text = keptText(name)) {
  if (memory.get(OURS + name) === text) memory.delete(OURS + name);
  try {
    if (localStorage.getItem(OURS + name) === text) localStorage.removeItem(OURS + name);
  } catch {
    // As above.
  }
}

// Numbers of the answers that the server has not taken yet, the first first.
function unsentNumbers() {
  const names = new Set(memory.keys());
  try {
    for (let i = 0; i < localStorage.length; i++) names.add(localStorage.key(i));
  } catch {
    // As above.
  }
  const start = `${OURS}unsent `;
  const numbers = [...names].filter((name) => name.startsWith(start));
  return numbers.map((name) => Number(name.slice(start.length))).sort((a, b) => a - b);
}

// --- the form ----------------------------------------------------------------------------------

function answersOf(form) {
  const answers = {};
  for (const question of asked(form)) {
    answers[question.dataset.question] = chosenValues(form, question);
  }
  return answers;
}

function restore(form, answers) {
  for (const control of form.elements) {
    const given = answers[control.name?.slice("answer.".length)];
    if (!control.name?.startsWith("answer.") || !given) continue;
    if (control.type === "radio" || control.type === "checkbox") {
      control.checked = given.includes(control.value);
    } else if (control.tagName === "SELECT") {
      const values = [...control.options].map((option) => option.value);
      control.value = values.find((value) => value && given.includes(value)) ?? "";
    } else {
      control.value = given[0] ?? "";
    }
  }
}

// The first question that is still to be answered, if any.
function wanting(form) {
  return asked(form).find(
    (question) =>
      (question.dataset.required && chosenValues(form, question).length === 0) ||
      question.querySelector(".comparison.wrong") ||
      isNoNumber(question),
  );
}

function isNoNumber(question) {
  const field = question.dataset.kind === "number" && question.querySelector("input");
  return field && !/^\p{Nd}{1,9}$/u.test(field.value.trim());
}

// Nothing may be scrolled to behind the text that stays in view.
function measureShown() {
  const shown = document.querySelector(".shown");
  const sticks = shown && getComputedStyle(shown).position === "sticky";
  const height = sticks ? `${shown.offsetHeight}px` : "0px";
  document.documentElement.style.setProperty("--shown-height", height);
  if (shown && shown.scrollHeight > shown.clientHeight) shown.tabIndex = 0; // to scroll by keys
}

function prepare() {
  const form = asForm();
  measureShown();
  if (!form) return;
  form.noValidate = true;
  const { number, revision, elapsed } = form.dataset;
  firstShown = Date.now() - 1000 * Number(elapsed ?? 0);
  const draft = number && parsed(keptText(`draft ${number}`));
  if (draft && draft.revision === revision) restore(form, draft.answers);
  prepareWords(form);
  showAsked(form);
  form.addEventListener("focusin", (event) => {
    const question = event.target.closest(".question");
    if (question) activate(form, question);
  });
  for (const type of ["input", "change"]) {
    form.addEventListener(type, () => {
      showAsked(form);
      stopTelling();
      complain(form, null);
      if (number) keep(`draft ${number}`, { revision, answers: answersOf(form) });
    });
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id === "undo-form") {
    event.preventDefault();
    undo(Number(form.dataset.number));
  } else if (form.matches("[data-questions]")) {
    const missing = wanting(form);
    if (missing) {
      event.preventDefault();
      frameAhead(form, missing);
      const uneven = missing.querySelector(".comparison.wrong");
      const empty = chosenValues(form, missing).length === 0;
      const text = uneven ? SAY.same_words : empty ? SAY.missing : SAY.whole_number;
      complain(form, missing, text);
      tell(text, true);
      missing.scrollIntoView({ block: "nearest" });
    } else if (form.id === "item") {
      event.preventDefault();
      submit(form);
    }
  }
});

// --- sending -----------------------------------------------------------------------------------

function submit(form) {
  if (form.inert) return;
  const number = Number(form.dataset.number);
  const seconds = Math.round((Date.now() - firstShown) / 100) / 10;
  keep(`unsent ${number}`, {
    number,
    revision: Number(form.dataset.revision),
    answers: answersOf(form),
    seconds: seconds < 0 ? null : seconds, // somebody set the clock back
  });
  form.inert = true;
  sendAll();
}

function post(address, body) {
  return fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": document.body.dataset.csrf },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE),
  });
}

async function sendAll() {
  if (sending) return;
  sending = true;
  clearTimeout(waiting);
  try {
    // Asked anew each time: another may have come while one was sent.
    for (let left = unsentNumbers(); left.length; left = unsentNumbers()) {
      if (!(await sendOne(left[0]))) return;
    }
    // Where another window sent what this one was to send, the page still waits.
    if ((asForm()?.inert || isCutOff) && (await refresh())) tell("");
    if (isSetAside) tell(SAY.set_aside, true);
    isSetAside = false;
  } finally {
    sending = false;
  }
}

// A response with its content; null if none came, or the request is to be repeated.
async function asking(request) {
  try {
    const answer = await request;
    if (answer.status >= 500 || answer.status === 429) return null;
    return { answer, reply: await answer.json() };
  } catch {
    return null; // no network, or half an answer: as if nothing had been sent
  }
}

// The participant's current task; not `isOurs` if the browser now has another session.
async function askForWork() {
  const came = await asking(fetch("/api/work", { signal: AbortSignal.timeout(PATIENCE) }));
  return came && { ...came, isOurs: came.answer.ok && came.reply.storage_key === STORAGE_KEY };
}

// Say why the server no longer accepts this page.
async function explain(status) {
  const came = status === 403 ? await askForWork() : null;
  if (came?.isOurs) location.reload(); // by a newer link; nothing that is kept here is lost
  else if (status === 403) {
    tell(SAY.other_link, true);
    waiting = setTimeout(sendAll, LONGEST_PAUSE); // the own link may be opened again
  } else tell(SAY.closed, true);
}

// Whether the next may be sent.
async function sendOne(number) {
  const name = `unsent ${number}`;
  const text = keptText(name);
  const entry = parsed(text);
  if (!entry) {
    forget(name, text); // another window sent it just now
    return unsentNumbers()[0] !== number;
  }
  tell(SAY.saving);
  const came = await asking(post("/api/answer", entry));
  if (!came) {
    later();
    return false;
  }
  const { answer, reply } = came;
  if (answer.status === 403 || answer.status === 410) {
    await explain(answer.status);
    return false;
  }
  isCutOff = false;
  const isRefused = !answer.ok && answer.status !== 409;
  // A rejected answer can be corrected only in its own form.
  const canCorrect = answer.status !== 404 && asForm()?.dataset.number === String(number);
  if (isRefused && !canCorrect) return await setAside(number, text);
  pause = 1000;
  forget(name, text);
  if (answer.ok) {
    forget(`draft ${number}`);
    show(reply.work);
    tell(SAY.saved);
  } else if (answer.status === 409) {
    forget(`draft ${number}`);
    await refresh();
    tell(SAY.conflict, true);
  } else {
    const form = asForm();
    if (form) form.inert = false;
    refuse(form, answer.headers.get("X-Question"), reply.detail || SAY.wrong_answer);
  }
  return true;
}

// Say what is wrong with an answer, at the question that it is about.
function refuse(form, about, text) {
  const name = decodeURIComponent(about ?? "");
  const question = form && questionsOf(form).find((each) => each.dataset.question === name);
  if (question) {
    complain(form, question, text);
    frameAhead(form, question);
    question.scrollIntoView({ block: "nearest" });
  }
  tell(text, true);
}

// Set aside an answer to a task that is no longer the participant's, so that they can continue,
// unless their link no longer works. Returns whether the next may be sent.
async function setAside(number, text) {
  const came = await askForWork();
  if (!came) {
    later();
    return false;
  }
  if (!came.isOurs) {
    await explain(came.answer.ok ? 403 : came.answer.status);
    return false;
  }
  keep(`aside ${number}`, parsed(text));
  forget(`unsent ${number}`, text);
  isSetAside = true;
  show(came.reply);
  return true;
}

function later() {
  tell(SAY.not_saved, true);
  waiting = setTimeout(sendAll, pause);
  pause = Math.min(pause * 2, LONGEST_PAUSE);
}

async function undo(number) {
  if (sending || unsentNumbers().length) return;
  sending = true;
  try {
    const came = await asking(post("/api/undo", { number }));
    isCutOff = !came;
    if (!came) tell(SAY.not_undone, true);
    else if (came.answer.ok) {
      show(came.reply.work);
      tell("");
    } else await explain(came.answer.status);
  } finally {
    sending = false;
  }
  if (unsentNumbers().length) sendAll(); // what was answered meanwhile
  else if (isCutOff) waiting = setTimeout(sendAll, GLANCE);
}

// Show the participant's current task; returns whether the page shows it. A form that is not being
// sent is left alone, unless it is for another task.
async function refresh() {
  const came = await askForWork();
  if (!came) {
    // The form waits all the while; what is sent then begins by asking again.
    clearTimeout(waiting);
    waiting = setTimeout(sendAll, isCutOff ? GLANCE : LONGEST_PAUSE);
    return false;
  }
  isCutOff = false;
  if (!came.isOurs) await explain(came.answer.ok ? 403 : came.answer.status);
  else if (asForm()?.inert || !isOnPage(came.reply)) show(came.reply);
  return came.isOurs;
}

function isOnPage({ number, revision }) {
  const shown = document.getElementById("item")?.dataset;
  return shown?.number === `${number}` && shown.revision === `${revision}`;
}

function show(work) {
  const main = document.getElementById("main");
  main.innerHTML = work.page;
  main.dataset.stage = work.stage;
  window.scrollTo(0, 0);
  prepare();
  (main.querySelector("[autofocus]") ?? main).focus({ preventScroll: true });
  sendBack();
}

// Back to the platform, with time to note the code.
function sendBack() {
  const back = document.getElementById("send-back");
  if (back) setTimeout(() => location.assign(back.href), READING);
}

window.addEventListener("online", sendAll);
window.addEventListener("resize", measureShown);
document.body.classList.add("scripted");
prepare();
if (unsentNumbers().length) {
  const form = document.getElementById("item");
  if (form) form.inert = true;
  sendAll();
}
