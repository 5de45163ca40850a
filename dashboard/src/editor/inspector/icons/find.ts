import { ending, type Look, lookOf } from './names';
import { words } from './words';

const meanings = words
  .trim()
  .split('\n')
  .map((line) => {
    const [word = '', names = ''] = line.split(': ');
    return { word, names: names.split(' ') };
  });

const isLogo = (name: string) => name.startsWith('logo-');

/** How well a word that was typed fits an icon: 0 best, Infinity not at all. */
function misfit(typed: string, base: string): number {
  if (base.startsWith(typed)) return 0;
  if (base.includes(`-${typed}`)) return 1;
  const isMeant = ({ word, names }: (typeof meanings)[number]) =>
    word.startsWith(typed) && names.some((name) => base === name || base.startsWith(`${name}-`));
  if (meanings.some(isMeant)) return 2;
  return typed.length > 2 && base.includes(typed) ? 3 : Number.POSITIVE_INFINITY;
}

/** Lists the icons of a look that fit every word of a query, the best first, logos behind what fits as well. Names come
 * sorted. */
export function findIcons(names: readonly string[], look: Look, query: string): string[] {
  const typed = query
    .toLowerCase()
    .split(/[\s-]+/)
    .filter(Boolean);
  return names
    .filter((name) => isLogo(name) || lookOf(name) === look)
    .map((name) => {
      const base = name.replace(ending, '');
      return { name, misfit: typed.reduce((sum, one) => sum + misfit(one, base), isLogo(name) ? 0.5 : 0) };
    })
    .filter(({ misfit }) => misfit < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.misfit - b.misfit)
    .map(({ name }) => name);
}
