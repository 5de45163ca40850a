import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';
import type { Operation, Step } from './operation';
import type { Edit, Entry } from './undo';

/** How many entries at the top stay as they are at least, and how many are packed together. */
const loose = 100;
const page = 50;

/** A session undoes any number of steps, and few go back a hundred. What lies further down is packed once the server has
 * it: 10,000 steps on properties take 0.3 MB instead of 7.5. */
export class Entries {
  #pages: Uint8Array[] = [];
  #loose: Entry[] = [];

  get length(): number {
    return this.#pages.length * page + this.#loose.length;
  }

  /** The one on top; undefined when there is none. */
  get last(): Entry | undefined {
    return this.#loose.at(-1);
  }

  push(entry: Entry) {
    this.#loose.push(entry);
    // One page at a time: after a while without a connection much is acknowledged at once.
    const lowest = this.#loose.slice(0, page);
    if (this.#loose.length < loose + page || !lowest.every(isAcknowledged)) return;
    this.#pages.push(pack(lowest));
    this.#loose = this.#loose.slice(page);
  }

  pop() {
    this.#loose.pop();
    this.#refill();
  }

  clear() {
    this.#pages = [];
    this.#loose = [];
  }

  /** Leaves out what the server refused, and entries that have nothing else. */
  leaveOut(edit: Edit) {
    for (const entry of this.#loose) entry.edits = entry.edits.filter((one) => one !== edit);
    this.#loose = this.#loose.filter(({ edits }) => edits.length > 0);
    this.#refill();
  }

  /** Rewrites the operations of all entries that may name one of some keys. */
  rewrite(keys: readonly string[], change: (operations: readonly Operation[]) => readonly Operation[]) {
    const apply = (entries: readonly Entry[]) => {
      for (const { edits } of entries) for (const edit of edits) edit.inverse = change(edit.inverse);
    };
    apply(this.#loose);
    const written = keys.map((key) => JSON.stringify(key).slice(1, -1));
    this.#pages = this.#pages.map((packed) => {
      const text = textOf(packed);
      if (!written.some((key) => text.includes(key))) return packed;
      const entries = unpack(text);
      apply(entries);
      return pack(entries);
    });
  }

  #refill() {
    const packed = this.#loose.length === 0 ? this.#pages.pop() : undefined;
    if (packed) this.#loose = unpack(textOf(packed));
  }
}

const isAcknowledged = ({ edits }: Entry) => edits.every(({ acknowledged }) => acknowledged);

type Packed = Pick<Entry, 'name' | 'before' | 'after'> & { edits: { inverse: readonly Operation[]; seen: number }[] };

function pack(entries: readonly Entry[]): Uint8Array {
  const kept = entries.map(
    ({ name, before, after, edits }): Packed => ({
      name,
      before,
      after,
      edits: edits.map(({ inverse, seen }) => ({ inverse, seen })),
    }),
  );
  return deflateSync(strToU8(JSON.stringify(kept)));
}

const textOf = (packed: Uint8Array) => strFromU8(inflateSync(packed));

/** What the server has is neither sent nor joined to again: its step is not needed any more. */
const gone: Step = { name: '', operations: [] };

function unpack(text: string): Entry[] {
  const edit = ({ inverse, seen }: Packed['edits'][number]) => ({
    step: gone,
    inverse,
    sent: true,
    acknowledged: true,
    seen,
  });
  return (JSON.parse(text) as Packed[]).map((entry) => ({ ...entry, edits: entry.edits.map(edit) }));
}
