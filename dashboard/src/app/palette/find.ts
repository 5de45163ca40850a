import type { Act } from '../acts';

/** The acts whose name has the words, best first: a name that begins with them, a word that does, the letters in order. */
export function find(acts: readonly Act[], words: string): Act[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return [...acts];
  return acts
    .map((act) => ({ act, rank: rankOf(`${act.name} ${act.words ?? ''} ${act.group}`.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank)
    .map(({ act }) => act);
}

function rankOf(text: string, wanted: string): number {
  if (text.startsWith(wanted)) return 0;
  if (text.includes(` ${wanted}`)) return 1;
  if (text.includes(wanted)) return 2;
  let from = 0;
  for (const letter of wanted) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return Number.POSITIVE_INFINITY;
  }
  return 3;
}
