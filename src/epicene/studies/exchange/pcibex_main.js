// The experiment of a study. Its texts, and all trials that are the same for everybody, are in STUDY
// above; the items, by list, in items.csv. PCIbex gives each participant the next list.

PennController.ResetPrefix(null);
DebugOff();

// --- words ------------------------------------------------------------------------------------

const safe = text => String(text)
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\n/g, "<br>");

const shown = text => `<span dir="auto">${safe(text)}</span>`;

// A text in every language of the study, one below the other; a word on one line.
const block = words => Object.entries(words)
    .map(([code, text]) => `<p lang="${code}" dir="auto">${safe(text)}</p>`).join("");
const line = words => Object.values(words).join(" / ");

const button = (name, words) => newButton(name, safe(line(words))).center().print();

// --- one trial --------------------------------------------------------------------------------

// The ways to answer: texts of the item, shuffled, or options in the order they are given.
const ways = row => STUDY.between.length
    ? STUDY.between.map(field => [field, row[field]])
    : STUDY.options.map(option => [option.id, line(option.label) || option.id]);

const box = {border: "1px solid #888", "border-radius": "6px", padding: "0.6em 1em"};

const selector = row => {
    const all = newSelector(STUDY.question).add(...ways(row).map(([name]) => getText(name)));
    return (STUDY.between.length ? all.shuffle() : all).once().log().wait();
};

const trial = (label, row, feedback) => newTrial(label,
    ...STUDY.above.map(field => newText(`above-${field}`, shown(row[field])).center().print()),
    newText("ask", block(STUDY.ask)).center().print(),
    ...ways(row).map(([name, text]) =>
        newText(name, shown(text)).css(box).cssContainer({margin: "0.6em"}).center().print()),
    selector(row),
    ...(feedback ? [newText("feedback", block(feedback)).center().print(),
                    button("next", STUDY.interface.next).wait()] : []),
).log("item", row.item).log("participant", participant);

// What is not in the address would be logged by the column's name, the same for everybody.
const participant = (STUDY.parameter && GetURLParameter(STUDY.parameter)) || "NULL";

// --- from the beginning to the end ------------------------------------------------------------

const has = part => STUDY[part].length > 0;
const main = ["item", ...["filler", "check"].filter(has)];

Sequence(
    ...["consent", "screening", "instructions", "practice"].filter(has),
    ...(STUDY.shuffle ? [rshuffle(...main)] : main),
    "send",
    "end",
);

for (const [part, words] of [["consent", STUDY.interface.agree], ["instructions", STUDY.interface.next]])
    if (has(part))
        newTrial(part,
            newText(part, STUDY[part].map(block).join("")).print(),
            button("go", words).wait());

// Participants who do not pass are told so and cannot continue. Their answers are not logged.
const screen = asked => asked.options
    ? newDropDown(asked.id, "…").add(...asked.options)
    : newTextInput(asked.id).length(3);

const passes = asked => asked.options
    ? asked.accept.map(text => getDropDown(asked.id).test.selected(text))
        .reduce((one, other) => one.or(other))
    : getTextInput(asked.id).test.text(new RegExp(asked.pattern));

if (has("screening"))
    newTrial("screening",
        ...STUDY.screening.flatMap(asked => [
            newText(`ask-${asked.id}`, block(asked.ask)).print(),
            screen(asked).print(),
        ]),
        newText("refused", block(STUDY.interface.refused)).hidden().print(),
        button("go", STUDY.interface.next).wait(
            STUDY.screening.map(passes).reduce((one, other) => one.and(other))
                .failure(getText("refused").visible())));

STUDY.practice.forEach(row => trial("practice", row, row.feedback));
STUDY.filler.forEach(row => trial("filler", row));
STUDY.check.forEach(row => trial("check", row));
Template(GetTable("items.csv").setGroupColumn("list"), row => trial("item", row));

SendResults("send");

newTrial("end",
    newText("thanks", block(STUDY.interface.answers_sent)).center().print(),
    newText("code", STUDY.url
        ? `<a href="${encodeURI(STUDY.url)}">${safe(STUDY.code || "→")}</a>`
        : safe(STUDY.code)).center().print(),
    newButton("stay").wait());
