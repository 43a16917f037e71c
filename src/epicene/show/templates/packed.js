// The page's compressed data: unpacked in slices, so that the page stays responsive, read without
// copying, and searched in long stretches of text. Comes before item_viewer.js in the page.

const SLICE = 8; // milliseconds of work before the page may draw
const PIECE = 1 << 20; // characters of base64 at a time
const STRETCH = 1 << 18; // bytes of texts that are searched in one go
const ALIGNMENT = 8; // bytes, as in item_viewer.py
const NUMBERS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };

const rest = globalThis.scheduler?.yield
  ? () => scheduler.yield()
  : () => new Promise((go) => setTimeout(go));

const fromBase64 = Uint8Array.fromBase64
  ? (text) => Uint8Array.fromBase64(text)
  : (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function unzip(node) {
  const text = node.textContent.trim();
  node.remove();
  const zip = new DecompressionStream("gzip");
  const whole = new Response(zip.readable).arrayBuffer();
  const writer = zip.writable.getWriter();
  for (let at = 0; at < text.length; at += PIECE) {
    await writer.write(fromBase64(text.slice(at, at + PIECE)));
    await rest();
  }
  await writer.close();
  return whole;
}

// Work a little at a time: `step` does one thing and says whether there is more.
async function inSlices(step) {
  for (let more = true; more; ) {
    const start = performance.now();
    while ((more = step()) && performance.now() - start < SLICE);
    if (more) await rest();
  }
}

class Pack {
  static async open(node) {
    const pack = new Pack(await unzip(node));
    await pack.findTexts();
    return pack;
  }

  constructor(buffer) {
    const view = new DataView(buffer);
    const length = view.getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, ALIGNMENT, length)));
    this.count = header.count;
    this.texts = header.texts;
    this.searched = header.searched;
    let at = ALIGNMENT + padded(length);
    this.columns = header.columns.map((column) => {
      const ids = new NUMBERS[column.width](buffer, at, this.count);
      at += padded(ids.byteLength);
      return { ...column, ids };
    });
    this.bytes = new Uint8Array(buffer, at, header.bytes);
    this.decoder = new TextDecoder();
  }

  // Where each text starts; a zero ends it.
  async findTexts() {
    this.starts = new Uint32Array(this.texts + 1);
    let number = 0;
    await inSlices(() => {
      for (let end = Math.min(number + 4096, this.texts); number < end; number++) {
        this.starts[number + 1] = this.bytes.indexOf(0, this.starts[number]) + 1;
      }
      return number < this.texts;
    });
  }

  at(number) {
    const end = this.starts[number + 1] - 1;
    return this.decoder.decode(this.bytes.subarray(this.starts[number], end));
  }

  // The text of a column in a row, or null.
  text(column, row) {
    const id = column ? column.ids[row] : 0;
    return id === 0 ? null : this.at(column.first + id - 1);
  }

  // Lower-case texts in long stretches, made when first searched; a search that comes while they
  // are made waits for the same ones.
  folded() {
    this.stretches ??= this.fold();
    return this.stretches;
  }

  async fold() {
    const stretches = [];
    let first = 0;
    await inSlices(() => {
      let last = first;
      while (last < this.searched && this.starts[last] - this.starts[first] < STRETCH) last++;
      const bytes = this.bytes.subarray(this.starts[first], this.starts[last]);
      const text = this.decoder.decode(bytes).normalize("NFC").toLowerCase();
      const ends = new Uint32Array(last - first);
      for (let number = 0, from = 0; number < ends.length; number++) {
        from = text.indexOf("\0", from) + 1;
        ends[number] = from;
      }
      stretches.push({ first, text, ends });
      first = last;
      return first < this.searched;
    });
    return stretches;
  }

  // A one for each text that contains `wanted`; null once the search is `unwanted`.
  async hits(wanted, unwanted) {
    const stretches = await this.folded();
    const found = new Uint8Array(this.searched);
    let next = 0;
    await inSlices(() => {
      if (next < stretches.length && !unwanted()) mark(stretches[next++], wanted, found);
      return next < stretches.length && !unwanted();
    });
    return unwanted() ? null : found;
  }

  // The rows that have a hit in one of the columns: a one for each.
  rows(found, columns) {
    const keep = new Uint8Array(this.count);
    for (const { ids, first, size } of columns) {
      const hit = found.indexOf(1, first);
      if (hit < 0 || hit >= first + size) continue;
      for (let row = 0; row < keep.length; row++) {
        if (ids[row] !== 0 && found[first + ids[row] - 1] === 1) keep[row] = 1;
      }
    }
    return keep;
  }

  // How often each number comes in a column, for columns with few of them.
  counts(column) {
    if (column.width > 2) return null;
    const counts = new Uint32Array(1 << (8 * column.width));
    for (const id of column.ids) counts[id]++;
    return counts;
  }
}

const padded = (length) => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

const folded = (words) => words.normalize("NFC").toLowerCase().trim();

function mark({ first, text, ends }, wanted, found) {
  let number = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, ends[number])) {
    while (ends[number] <= at) number++;
    found[first + number] = 1;
  }
}

async function inflate(node) {
  return JSON.parse(new TextDecoder().decode(await unzip(node)));
}
