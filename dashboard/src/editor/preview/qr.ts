// QR codes (ISO/IEC 18004) of texts in bytes, with error correction of level L: what a screen shows is clean.

/** By version, from 1: bytes of error correction in a block, and how many blocks there are. */
const corrections = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const blocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];

/** Rows of a code, true for dark; undefined for a text of more than 858 bytes. */
export function qrOf(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = corrections.findIndex((_, at) => bytes.length <= capacity(at + 1)) + 1;
  if (version === 0) return undefined;
  const code = new Code(version);
  code.write(interleave(dataOf(bytes, version), version));
  return code.rows;
}

/** How many modules of a version hold bits. */
function roomOf(version: number): number {
  const aligned = Math.floor(version / 7) + 2;
  const alignment = version > 1 ? (25 * aligned - 10) * aligned - 55 : 0;
  return (16 * version + 128) * version + 64 - alignment - (version > 6 ? 36 : 0);
}

const dataBytes = (version: number) =>
  Math.floor(roomOf(version) / 8) - corrections[version - 1]! * blocks[version - 1]!;
const lengthBits = (version: number) => (version > 9 ? 16 : 8);
const capacity = (version: number) => Math.floor((dataBytes(version) * 8 - 4 - lengthBits(version)) / 8);

function dataOf(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let at = count - 1; at >= 0; at--) bits.push((value >> at) & 1);
  };
  push(4, 4); // bytes follow
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const all = dataBytes(version) * 8;
  push(0, Math.min(4, all - bits.length));
  push(0, -bits.length & 7);
  for (let pad = 0xec; bits.length < all; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from({ length: all / 8 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2));
}

/** Data in blocks with what corrects them, taken in turns. */
function interleave(data: readonly number[], version: number): number[] {
  const count = blocks[version - 1]!;
  const correction = corrections[version - 1]!;
  const size = Math.floor(data.length / count);
  const short = count - (data.length % count);
  const divisor = divisorOf(correction);
  let from = 0;
  const parts = Array.from({ length: count }, (_, at) => {
    const part = data.slice(from, from + size + (at < short ? 0 : 1));
    from += part.length;
    return part;
  });
  const checks = parts.map((part) => remainder(part, divisor));
  const turns = (lists: number[][]) =>
    Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, at) =>
      lists.flatMap((list) => (at < list.length ? [list[at]!] : [])),
    ).flat();
  return [...turns(parts), ...turns(checks)];
}

/** A product in GF(2^8/0x11D). */
function multiply(x: number, y: number): number {
  let z = 0;
  for (let at = 7; at >= 0; at--) z = (z << 1) ^ ((z >> 7) * 0x11d) ^ (((y >> at) & 1) * x);
  return z;
}

function divisorOf(degree: number): number[] {
  const result = Array.from({ length: degree }, (_, at) => Number(at === degree - 1));
  let root = 1;
  for (let i = 0; i < degree; i++, root = multiply(root, 2))
    for (let at = 0; at < degree; at++) result[at] = multiply(result[at]!, root) ^ (result[at + 1] ?? 0);
  return result;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const rest = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    for (let at = 0; at < rest.length; at++) rest[at]! ^= multiply(divisor[at]!, factor);
  }
  return rest;
}

class Code {
  readonly rows: boolean[][];
  readonly #fixed: boolean[][];
  readonly #size: number;

  constructor(readonly version: number) {
    this.#size = version * 4 + 17;
    const empty = () => Array.from({ length: this.#size }, () => new Array<boolean>(this.#size).fill(false));
    this.rows = empty();
    this.#fixed = empty();
    const last = this.#size - 1;
    for (let at = 0; at <= last; at++) {
      this.#fix(6, at, at % 2 === 0);
      this.#fix(at, 6, at % 2 === 0);
    }
    for (const [x, y] of [
      [3, 3],
      [last - 3, 3],
      [3, last - 3],
    ] as const)
      this.#square(x, y, 4);
    const centers = this.#alignments();
    const end = centers.length - 1;
    centers.forEach((x, i) => {
      centers.forEach((y, j) => {
        const isFinder = (i === 0 && (j === 0 || j === end)) || (i === end && j === 0);
        if (!isFinder) this.#square(x, y, 2);
      });
    });
    this.#format();
    if (version > 6) this.#numbered();
  }

  /** Fills what is free with bits, two columns at a time from the right, by the first mask. */
  write(bytes: readonly number[]) {
    let at = 0;
    for (let right = this.#size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.#size; step++)
        for (const x of [right, right - 1]) {
          const isUp = ((right + 1) & 2) === 0;
          const y = isUp ? this.#size - 1 - step : step;
          if (this.#fixed[y]![x]) continue;
          const bit = (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
          at += 1;
          this.rows[y]![x] = bit !== ((x + y) % 2 === 0);
        }
    }
  }

  #fix(x: number, y: number, dark: boolean) {
    if (x < 0 || y < 0 || x >= this.#size || y >= this.#size) return;
    this.rows[y]![x] = dark;
    this.#fixed[y]![x] = true;
  }

  /** Rings around a center: dark but for the second and, of a finder, the fourth. */
  #square(x: number, y: number, radius: 2 | 4) {
    const light = radius === 4 ? [2, 4] : [1];
    for (let dy = -radius; dy <= radius; dy++)
      for (let dx = -radius; dx <= radius; dx++)
        this.#fix(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  }

  #alignments(): number[] {
    if (this.version === 1) return [];
    const count = Math.floor(this.version / 7) + 2;
    const step = Math.ceil((this.version * 4 + 4) / (count * 2 - 2)) * 2;
    return [6, ...Array.from({ length: count - 1 }, (_, at) => this.#size - 7 - (count - 2 - at) * step)];
  }

  /** Level L and the first mask, twice. */
  #format() {
    const data = 1 << 3;
    let rest = data;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((data << 10) | rest) ^ 0x5412;
    const bit = (at: number) => ((bits >> at) & 1) === 1;
    const last = this.#size - 1;
    for (let at = 0; at < 6; at++) this.#fix(8, at, bit(at));
    this.#fix(8, 7, bit(6));
    this.#fix(8, 8, bit(7));
    this.#fix(7, 8, bit(8));
    for (let at = 9; at < 15; at++) this.#fix(14 - at, 8, bit(at));
    for (let at = 0; at < 8; at++) this.#fix(last - at, 8, bit(at));
    for (let at = 8; at < 15; at++) this.#fix(8, last - 14 + at, bit(at));
    this.#fix(8, last - 7, true);
  }

  #numbered() {
    let rest = this.version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (this.version << 12) | rest;
    for (let at = 0; at < 18; at++) {
      const a = this.#size - 11 + (at % 3);
      const b = Math.floor(at / 3);
      this.#fix(a, b, ((bits >> at) & 1) === 1);
      this.#fix(b, a, ((bits >> at) & 1) === 1);
    }
  }
}
