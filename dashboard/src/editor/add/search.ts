import type { Addition, Group } from './addition';

/** The groups of what a person looks for. Each word has to begin one of an addition's; what has them in its name comes
 * before what has them elsewhere. Without words it is everything. */
export function searched(groups: readonly Group[], text: string): Group[] {
  const wanted = wordsIn(text);
  if (wanted.length === 0) return [...groups];
  return groups
    .map((group) => ({ group, best: Math.max(0, ...group.additions.map((one) => rank(one, wanted))) }))
    .filter(({ best }) => best > 0)
    .sort((a, b) => b.best - a.best)
    .map(({ group }) => ({
      ...group,
      additions: group.additions
        .map((one) => ({ one, by: rank(one, wanted) }))
        .filter(({ by }) => by > 0)
        .sort((a, b) => b.by - a.by)
        .map(({ one }) => one),
    }));
}

/** 4 when it is called so, 3 when every word is in the name, 2 when it is among the other names, 1 when what it is for tells it; 0 is none. */
function rank({ name, words, what }: Addition, wanted: readonly string[]): number {
  if (wordsIn(name).join(' ') === wanted.join(' ')) return 4;
  const sources = [what, words, name].map(wordsIn);
  const ranks = wanted.map((word) => sources.findLastIndex((source) => source.some((one) => one.startsWith(word))) + 1);
  return Math.min(...ranks);
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
