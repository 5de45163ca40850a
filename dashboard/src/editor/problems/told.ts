import type { DraftProblem } from './queries';

/** Each sentence of a place once: cases and languages of one text say the same. */
export function told(problems: readonly DraftProblem[]): readonly DraftProblem[] {
  const first = new Map<string, DraftProblem>();
  for (const one of problems) {
    const key = JSON.stringify([one.stepId, one.layerId, one.message]);
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}

/** Tells problems of one place apart: their order may change with every edit. */
export const keyOf = ({ pointer, code, message }: DraftProblem) => `${pointer} ${code} ${message}`;

/** The key of the group of what differs between platforms. */
export const platforms = 'platforms';

/** Problems by step; what only differs between platforms stands together, behind all others. */
export function grouped(problems: readonly DraftProblem[]): [key: string, group: readonly DraftProblem[]][] {
  const isOfPlatforms = ({ code }: DraftProblem) => code.startsWith('parity.');
  const groups = new Map<string, DraftProblem[]>();
  for (const one of problems) {
    if (!isOfPlatforms(one)) groups.set(one.stepId, [...(groups.get(one.stepId) ?? []), one]);
  }
  const others = problems.filter(isOfPlatforms);
  return others.length > 0 ? [...groups, [platforms, others]] : [...groups];
}
