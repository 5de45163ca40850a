import aliases from 'cldr-core/supplemental/aliases.json' with { type: 'json' };
import matching from 'cldr-core/supplemental/languageMatching.json' with { type: 'json' };
import likely from 'cldr-core/supplemental/likelySubtags.json' with { type: 'json' };
import containment from 'cldr-core/supplemental/territoryContainment.json' with { type: 'json' };

// CLDR's language matching as UTS #35 writes it, rule by rule over the whole of its data: slow, and nothing shared with
// the code that it is compared with.

interface Rule {
  _desired: string;
  _supported: string;
  _distance: number;
  _oneway?: boolean;
}
type Tag = [language: string, script: string, region: string];

const { languageMatch, matchVariables, paradigmLocales } = matching.supplemental.languageMatching['written-new'];
const rules: readonly Rule[] = languageMatch;
const subtags: Readonly<Record<string, string>> = likely.supplemental.likelySubtags;
const replaced: Readonly<Record<string, { _replacement: string }>> = aliases.supplemental.metadata.alias.languageAlias;
const contained: Readonly<Record<string, { _contains: readonly string[] }>> =
  containment.supplemental.territoryContainment;

/** A well-formed tag with the newest code of its language and the subtags that are likely where it names none. */
export function maximize(tag: string): Tag {
  const [first = '', ...rest] = tag.split('-');
  const [language = '', ...hints] = (replaced[first]?._replacement ?? first).split('-');
  const find = (form: RegExp) => [...rest, ...hints].find((part) => form.test(part));
  const script = find(/^[A-Z][a-z]{3}$/);
  const region = find(/^([A-Z]{2}|\d{3})$/);
  const steps = [[language, script, region], [language, script], [language, region], [language]].map((parts) =>
    parts.filter(Boolean).join('-'),
  );
  // UTS #35 tries the language with its region before it with its script; with both none of them is reached.
  const found = steps
    .map((step) => subtags[step])
    .find(Boolean)
    ?.split('-');
  return [language, script ?? found?.[1] ?? '', region ?? found?.[2] ?? ''];
}

function within(region: string, group: string): boolean {
  return group === region || (contained[group]?._contains ?? []).some((part) => within(region, part));
}

function fits(part: string, pattern: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.startsWith('$')) return part === pattern;
  const name = pattern.replace('!', '') as keyof typeof matchVariables;
  const inside = matchVariables[name]._value
    .split('+')
    // Latin America is no part of the Americas in this tree but a grouping beside its parts.
    .some((group) => within(part, group) || (group === '019' && part === '419'));
  return pattern.startsWith('$!') ? !inside : inside;
}

function ruleDistance(wish: readonly string[], offer: readonly string[]): number {
  const matches = (parts: readonly string[], pattern: string) =>
    pattern.split('-').length === parts.length && pattern.split('-').every((one, at) => fits(parts[at] ?? '', one));
  for (const { _desired, _supported, _distance, _oneway } of rules) {
    if (matches(wish, _desired) && matches(offer, _supported)) return _distance;
    if (!_oneway && matches(offer, _desired) && matches(wish, _supported)) return _distance;
  }
  throw new Error('CLDR has a rule for everything');
}

export function distanceOf(wish: Tag, offer: Tag): number {
  let sum = 0;
  for (const length of [3, 2, 1]) {
    const [one, other] = [wish.slice(0, length), offer.slice(0, length)];
    if (one[length - 1] !== other[length - 1]) sum += ruleDistance(one, other);
  }
  return sum;
}

/** Whether CLDR takes a locale rather than others that are as near: its paradigms, and where a language is at home. */
function isPreferred(tag: Tag): boolean {
  const [language, script, region] = tag;
  if (/^\d/.test(region) || maximize(language)[2] === region) return true;
  if (maximize(`${language}-${script}`)[2] === region) return true;
  return paradigmLocales._locales.some((locale) => maximize(locale).join() === tag.join());
}

/** Distance between two scripts of a language: whatever is as far does not serve. */
const FAR = 50;

/** What a flow with these locales, its default first, shows to a wish. */
export function expectedLocale(wish: string, locales: readonly string[]): string {
  if (locales.includes(wish)) return wish;
  const wanted = maximize(wish);
  const offers = locales
    .map((locale, order) => ({ locale, order, tag: maximize(locale) }))
    .map((offer) => ({ ...offer, distance: distanceOf(wanted, offer.tag), late: isPreferred(offer.tag) ? 0 : 1 }))
    .filter(({ distance }) => distance < FAR)
    .sort((a, b) => a.distance - b.distance || a.late - b.late || a.order - b.order);
  return offers[0]?.locale ?? locales[0] ?? '';
}
