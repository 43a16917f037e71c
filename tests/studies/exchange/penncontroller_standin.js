// As much of PennController as an experiment of ours uses, written after its documentation: a
// command that an element does not have throws, and `takePart` answers as a person would.

const COMMANDS = {
    Text: ["center", "print", "css", "cssContainer", "hidden", "visible"],
    Button: ["center", "print", "wait"],
    Selector: ["add", "shuffle", "once", "log", "wait"],
    DropDown: ["add", "print"],
    TextInput: ["length", "print"],
};
const TESTS = {DropDown: ["selected"], TextInput: ["text"]};

const standIn = {trials: [], elements: {}, sequence: [], templates: [], parameters: {}};
// An expression for a test, as a function of what a person entered.
const test = holds => ({
    holds,
    or: other => test(entered => holds(entered) || other.holds(entered)),
    and: other => test(entered => holds(entered) && other.holds(entered)),
    failure() { return this; },
});

function commands(element) {
    return new Proxy(element, {
        get(target, name) {
            if (name === "element") return target;
            if (name === "test") return new Proxy({}, {get: (_, kind) => {
                if (!(TESTS[target.type] || []).includes(kind)) throw new Error(`${target.type}.test.${kind}`);
                return wanted => test(entered => wanted instanceof RegExp
                    ? wanted.test(entered[target.name]) : entered[target.name] === wanted);
            }});
            if (!COMMANDS[target.type].includes(name)) throw new Error(`${target.type}.${String(name)}`);
            return (...given) => { target.calls.push([name, given]); return commands(target); };
        },
    });
}
for (const type of Object.keys(COMMANDS)) {
    window[`new${type}`] = (name, text) => {
        const element = {type, name, text, calls: []};
        standIn.elements[`${type} ${name}`] = element;
        return commands(element);
    };
    window[`get${type}`] = name => {
        if (!standIn.elements[`${type} ${name}`]) throw new Error(`no ${type} ${name}`);
        return commands(standIn.elements[`${type} ${name}`]);
    };
}

window.PennController = {ResetPrefix() {}};
window.DebugOff = () => {};
window.GetURLParameter = name => standIn.parameters[name];
window.SendResults = label => standIn.trials.push({label, elements: [], logged: []});
window.rshuffle = (...labels) => ({labels});
window.Sequence = (...parts) => { standIn.sequence = parts; };
window.GetTable = name => ({name, setGroupColumn(column) { return {name, column}; }});
window.Template = (table, make) => standIn.templates.push({table, make});
window.newTrial = (label, ...given) => {
    const trial = {label, elements: given.map(each => each.element), logged: []};
    standIn.elements = {};
    standIn.trials.push(trial);
    const handle = {log(name, value) { trial.logged.push([name, value ?? name]); return handle; }};
    return handle;
};

const called = (element, name) => element.calls.some(([call]) => call === name);

// What a person sees and does from the first page to the last; the lines of the results file.
window.takePart = ({counter, tables, sender, entered, answers}) => {
    const before = standIn.trials.length;
    for (const {table, make} of standIn.templates) {
        const rows = tables[table.name];
        const groups = [...new Set(rows.map(row => row[table.column]))];
        rows.filter(row => row[table.column] === groups[counter % groups.length]).forEach(make);
    }
    const of = label => standIn.trials.filter(trial => trial.label === label);
    const order = standIn.sequence.flatMap(part => part.labels ? part.labels.flatMap(of) : of(part));
    standIn.trials.length = before;
    const lines = [], pages = [];
    let time = 1700000000000, columns = "";
    order.forEach((trial, place) => {
        const names = trial.logged.map(([name]) => name);
        if (names.join() !== columns || !place) {
            columns = names.join();
            lines.push("# Columns below this comment are as follows:");
            [...STANDARD, ...names, "Comments"].forEach((name, at) => lines.push(`# ${at + 1}. ${name}.`));
        }
        const write = (...event) => lines.push([
            1700000000 + counter, sender, "PennController", place, 0, trial.label, "NULL",
            ...event, time += 1000, ...trial.logged.map(([, value]) => value), "NULL",
        ].join(","));
        write("PennController", place, "_Trial_", "Start");
        for (const element of trial.elements) {
            if (element.type === "Selector") {
                const offered = element.calls.find(([call]) => call === "add")[1].map(each => each.element.name);
                const item = trial.logged.find(([name]) => name === "item")[1];
                if (!offered.includes(answers[item])) throw new Error(`${item}: ${answers[item]}`);
                if (called(element, "log")) write("Selector", element.name, "Selection", answers[item]);
            }
            for (const [call, [condition]] of element.calls)
                if (call === "wait" && condition && !condition.holds(entered)) return lines.push("refused");
        }
        write("PennController", place, "_Trial_", "End");
        const texts = trial.elements.filter(each => each.type === "Text").map(each => each.text);
        pages.push([trial.label, texts.join("\n")]);
    });
    return {lines, pages};
};
const STANDARD = [
    "Results reception time", "MD5 hash of participant's IP address", "Controller name",
    "Order number of item", "Inner element number", "Label", "Latin Square Group",
    "PennElementType", "PennElementName", "Parameter", "Value", "EventTime",
];
