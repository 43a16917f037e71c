"use strict";
// The words in which two texts differ, as nodes. For the report and the study's pages.

const DIFF_CELLS = 4e6; // the largest table a word difference may fill

function element(tag, properties = {}, ...children) {
  const { attributes = {}, ...rest } = properties;
  const node = Object.assign(document.createElement(tag), rest);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Letters keep their marks (Devanagari vowels, Arabic vocalisation); punctuation is separate.
const WORDS = /[\p{L}\p{M}\p{N}\u200c\u200d'’]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu;

function difference(left, right) {
  const a = left.match(WORDS) ?? [];
  const b = right.match(WORDS) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  const shorter = Math.min(a.length, b.length) - start;
  while (end < shorter && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const n = a.length - end - start;
  const m = b.length - end - start;
  const same = [new Uint8Array(a.length).fill(1), new Uint8Array(b.length).fill(1)];
  same[0].fill(0, start, start + n);
  same[1].fill(0, start, start + m);
  if (n * m > 0 && n * m <= DIFF_CELLS) markCommon(a, b, start, n, m, same);
  return [
    a.map((word, i) => [word, same[0][i] === 1]),
    b.map((word, i) => [word, same[1][i] === 1]),
  ];
}

function markCommon(a, b, start, n, m, same) {
  const width = m + 1;
  const longest = new Uint32Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[start + i] === b[start + j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  let i = 0;
  let j = 0;
  while (i < n && j < m) {
    if (a[start + i] === b[start + j]) {
      same[0][start + i++] = 1;
      same[1][start + j++] = 1;
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) i++;
    else j++;
  }
}

// Words as nodes, those that differ marked; neighbours that differ are marked as one.
function marked(words) {
  const nodes = [];
  let run = "";
  let runSame = true;
  const flush = () => {
    const [, before, words, after] = /^(\s*)(.*?)(\s*)$/su.exec(run);
    if (runSame || words === "") nodes.push(runSame ? run : element("mark", {}, run));
    else nodes.push(before, element("mark", {}, words), after);
    run = "";
  };
  for (const [word, same] of words) {
    if (same !== runSame) flush();
    runSame = same;
    run += word;
  }
  flush();
  return nodes;
}

