/** A point of a chart: its bucket, and null for a ratio without denominator. */
export type Point = { bucket: string; value: number | null };

/** The ticks of an axis from zero: at most `count` steps of 1, 2, 2.5 or 5 times a power of ten that reach `max`. */
export function ticksTo(max: number, count = 3): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step * count >= max - 1e-9 * max)!;
  const ticks = [];
  for (let i = 0; i * step < max + step - 1e-9 * max; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** Where each of n points stands between 0 and width; a single one in the middle. */
export const xOf = (i: number, n: number, width: number): number => (n > 1 ? (i / (n - 1)) * width : width / 2);

/** The runs of points that have a value, as [from, to] of their indexes, both included. */
export function runsOf(values: readonly (number | null)[]): [number, number][] {
  const runs: [number, number][] = [];
  values.forEach((value, i) => {
    if (value === null) return;
    const last = runs.at(-1);
    if (last && last[1] === i - 1) last[1] = i;
    else runs.push([i, i]);
  });
  return runs;
}

/** An SVG path through the points of every run. */
export function lineOf(
  values: readonly (number | null)[],
  x: (i: number) => number,
  y: (value: number) => number,
): string {
  return runsOf(values)
    .map(([from, to]) => {
      const points = [];
      for (let i = from; i <= to; i++) points.push(`${round(x(i))},${round(y(values[i]!))}`);
      return points.length > 1 ? `M${points.join('L')}` : `M${points[0]}h0.01`; // a dot, by its round end
    })
    .join('');
}

/** The same, closed to the axis. */
export function areaOf(
  values: readonly (number | null)[],
  x: (i: number) => number,
  y: (value: number) => number,
): string {
  return runsOf(values)
    .filter(([from, to]) => to > from)
    .map(([from, to]) => {
      const line = lineOf(values.slice(from, to + 1), (i) => x(from + i), y);
      return `${line}L${round(x(to))},${round(y(0))}L${round(x(from))},${round(y(0))}Z`;
    })
    .join('');
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Splits at the first bucket that is not over: what is before it is final, what follows is still growing. The two share
 * a point, so that the line does not break. */
export function splitAtRunning(
  values: readonly (number | null)[],
  running: number | undefined,
): { final: (number | null)[]; growing: (number | null)[] } {
  if (running === undefined || running >= values.length) return { final: [...values], growing: values.map(() => null) };
  return {
    final: values.map((value, i) => (i < running ? value : null)),
    growing: values.map((value, i) => (i >= running - 1 ? value : null)),
  };
}

/** Which indexes of n carry a label when each takes `room` of `width`: evenly, the first always. */
export function labeled(n: number, width: number, room: number, unit = 1): number[] {
  const step = unit * Math.max(1, Math.ceil((n * room) / Math.max(width, 1) / unit));
  return Array.from({ length: Math.ceil(n / step) }, (_, i) => i * step);
}

/** What happened in each bucket, by its index. Buckets are in order; the last one goes on to `end`. A bucket says at most
 * five things and how many more there were. */
export function notesOf(
  buckets: readonly string[],
  annotations: readonly { at: string; text: string }[],
  end: string,
): Map<number, string[]> {
  const times = buckets.map((bucket) => Date.parse(bucket));
  const found = new Map<number, string[]>();
  for (const { at, text } of annotations.toSorted((a, b) => a.at.localeCompare(b.at))) {
    const time = Date.parse(at);
    if (time > Date.parse(end) || time >= (times.at(-1) ?? 0) + width(times)) continue;
    const i = times.findLastIndex((bucket) => bucket <= time);
    if (i >= 0) found.set(i, [...(found.get(i) ?? []), text]);
  }
  for (const [i, texts] of found) {
    if (texts.length > 5) found.set(i, [...texts.slice(0, 5), `${texts.length - 5} more changes`]);
  }
  return found;
}

/** The length of the last bucket: that of the one before; a day for a single one. */
const width = (times: readonly number[]) => (times.length > 1 ? times.at(-1)! - times.at(-2)! : 86_400_000);

/** How dark a country is, from 0 for none to 1 for the greatest. By the square root, or one great country leaves the
 * others blank. */
export const shadeOf = (value: number, greatest: number): number =>
  value > 0 && greatest > 0 ? 0.12 + 0.88 * Math.sqrt(Math.min(1, value / greatest)) : 0;
