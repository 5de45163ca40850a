import {
  ALIASES,
  AMERICAS,
  HONG_KONG,
  MAGHREB,
  NEAR,
  NORTH_AMERICAN_ENGLISH,
  REGIONS,
  SCRIPTS,
} from './locale-table.gen';

/** The values of a generated table by their keys: `he iw,id in` has he of iw and id of in. */
function index(table: string): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const group of table.split(',')) {
    const [value = '', ...keys] = group.split(' ');
    for (const key of keys) found.set(key, [...(found.get(key) ?? []), value]);
  }
  return found;
}

const one = (table: ReadonlyMap<string, string[]>, key: string) => table.get(key)?.[0];

const aliases = /* @__PURE__ */ index(ALIASES);
const scripts = /* @__PURE__ */ index(SCRIPTS);
const regions = /* @__PURE__ */ index(REGIONS);
const near = /* @__PURE__ */ index(NEAR);

/** Regions that speak alike, by language; the other regions of that language are alike as well. */
const CLUSTERS: Readonly<Record<string, string>> = {
  en: NORTH_AMERICAN_ENGLISH,
  ar: MAGHREB,
  es: AMERICAS,
  pt: AMERICAS,
  'zh-Hant': HONG_KONG,
};

/** What decides how near two locales are. */
export interface LanguageTag {
  /** The language by its newest code, with its script where that is not the usual one: `zh`, `zh-Hant`. */
  language: string;
  /** Four letters. Empty where none is named of a language that has one only and runs from left to right. */
  script: string;
  /** The region that is named, else the one where the language is at home. */
  region: string;
  /** Whether CLDR takes the region rather than others that are as near. */
  preferred: boolean;
}

export function capitalized(script: string): string {
  return script.slice(0, 1).toUpperCase() + script.slice(1).toLowerCase();
}

/**
 * Reads a locale in any spelling that systems have: `zh-Hant-HK`, `zh_TW_#Hant`, `en_US.UTF-8`. Variants and extensions
 * do not count.
 */
export function parseLocale(locale: string): LanguageTag {
  const [first = '', ...parts] = (locale.split(/[.@]|[-_][^-_](?=[-_]|$)/)[0] ?? '').trim().split(/[-_#]+/);
  // The second part of zh-yue is the language that is meant.
  const code = (parts.find((part) => /^[a-z]{3}$/i.test(part)) ?? first).toLowerCase();
  const [base = '', ...hints] = (one(aliases, code) ?? code).split('-');
  const named = (form: RegExp) => [...parts, ...hints].find((part) => form.test(part)) ?? '';
  const region = named(/^([a-z]{2}|\d{3})$/i).toUpperCase();
  const usual = one(scripts, base) ?? '';
  const script = capitalized(named(/^[a-z]{4}$/i)) || (one(scripts, `${base}-${region}`) ?? usual);
  const language = usual === '' || script === usual ? base : `${base}-${script}`;
  const home = one(regions, language) ?? one(regions, base) ?? base.toUpperCase();
  return {
    language,
    script,
    region: region || home,
    preferred: !region || region === home || /\d|en-GB|pt-PT/.test(`${base}-${region}`),
  };
}

/** CLDR's distance from a wish to what is offered; undefined when that does not serve. */
function distance(wish: LanguageTag, offer: LanguageTag): number | undefined {
  const { language } = offer;
  const same = offer.region === wish.region;
  if (language !== wish.language) {
    const found = near.get(wish.language)?.find((entry) => entry.replace(/\d+/, '') === language);
    return found === undefined ? undefined : Number(found.replace(/\D+/, '')) + (same ? 0 : 4);
  }
  if (same) return 0;
  const inside = [wish, offer].filter(({ region }) => CLUSTERS[language]?.includes(region)).length;
  if (inside === 1) return 5;
  return language === 'en' && !inside && [wish, offer].some(({ region }) => region === 'GB') ? 3 : 4;
}

/**
 * The one of the locales that serves a wish best by CLDR's language matching, the first of those that are alike;
 * undefined when none does.
 */
export function closestLocale(wish: string, offered: readonly string[]): string | undefined {
  const wanted = parseLocale(wish);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const locale of offered) {
    const tag = parseLocale(locale);
    const far = distance(wanted, tag);
    if (far === undefined) continue;
    const rank = far * 4 + (tag.preferred ? 0 : 2) + (tag.script === wanted.script ? 0 : 1);
    if (rank >= least) continue;
    least = rank;
    best = locale;
  }
  return best;
}
