import type { Misfit } from '../../misfits';

export type Edges = { left: number; top: number; right: number; bottom: number };

/** A box around words: their own element first, then what stands around that. */
export type Around = {
  box: Edges;
  /** Whether what is beyond its edges is not seen. */
  cutsX: boolean;
  cutsY: boolean;
  /** Whether a person can bring it into sight. */
  scrollsX: boolean;
  scrollsY: boolean;
  /** Whether it is placed by its author: what it stands in need not hold it. */
  free: boolean;
};

/** Words as the renderer has drawn them, in pixels of the screen. */
export type Drawn = {
  /** Around all lines. */
  words: Edges;
  lines: number;
  around: readonly Around[];
  inButton: boolean;
  /** Words that go on in another line: the part before, and the part behind. */
  breaks: readonly (readonly [string, string])[];
};

/** More lines are too many for a button, unless it was drawn for them. */
export const mostLines = 2;

/** Letters may reach out of their line by that many pixels. */
const tolerance = 2;

/** Says how words do not fit; undefined when they do. `lines` is how many the default language takes there. */
export function misfitOf(drawn: Drawn, lines = 0): Pick<Misfit, 'is' | 'detail'> | undefined {
  const beyond = reach(drawn);
  if (beyond) return { is: beyond, detail: '' };
  const broken = drawn.breaks.find(([before, after]) => isBroken(before, after));
  if (broken) return { is: 'broken', detail: broken.join('|') };
  const tooMany = drawn.inButton && drawn.lines > Math.max(mostLines, lines);
  return tooMany ? { is: 'lines', detail: String(drawn.lines) } : undefined;
}

/** Whether words reach beyond what holds them, and can't be seen there, or lie on something else. */
function reach({ words, around }: Drawn): 'cut' | 'outside' | undefined {
  let [freeX, freeY, held, isOutside] = [false, false, true, false];
  for (const { box, cutsX, cutsY, scrollsX, scrollsY, free } of around) {
    const x = !freeX && (words.left < box.left - tolerance || words.right > box.right + tolerance);
    const y = !freeY && (words.top < box.top - tolerance || words.bottom > box.bottom + tolerance);
    if ((x && cutsX && !scrollsX) || (y && cutsY && !scrollsY)) return 'cut';
    if (held && ((x && !scrollsX) || (y && !scrollsY))) isOutside = true;
    freeX ||= scrollsX;
    freeY ||= scrollsY;
    held &&= !free;
  }
  return isOutside ? 'outside' : undefined;
}

/** Scripts that put no spaces between words, or break lines inside of them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

/** Whether a line ends inside of a word: not behind a hyphen, and not where no language would mind. */
function isBroken(before: string, after: string): boolean {
  const [last, first] = [[...before].at(-1) ?? '', [...after][0] ?? ''];
  return [last, first].every((one) => /[\p{L}\p{M}\p{N}]/u.test(one) && !unspaced.test(one));
}
