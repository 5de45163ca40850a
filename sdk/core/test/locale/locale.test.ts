import available from 'cldr-core/availableLocales.json' with { type: 'json' };
import coverage from 'cldr-core/coverageLevels.json' with { type: 'json' };
import scripts from 'cldr-core/scriptMetadata.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { resolveLocale, textDirection } from '../../src/flow/locale';
import { expectedLocale, maximize } from './oracle';

/** How well CLDR covers a language; systems offer what it covers more than basically. */
const covered: Readonly<Record<string, string>> = coverage.effectiveCoverageLevels;
/** A locale as manifests name it. */
const FORM = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/;

const REGION = /-[A-Z]{2}$/;

const resolved = (wish: string, locales: readonly string[]) =>
  resolveLocale({ defaultLocale: locales[0] ?? '', locales: [...locales] }, wish);

describe('the locale of a flow that a wish comes down to', () => {
  it('is what CLDR finds, for wishes and flows drawn at random', () => {
    const known = available.availableLocales.full.filter(
      (tag) => FORM.test(tag) && !['basic', undefined].includes(covered[tag.split('-')[0] ?? '']),
    );
    const regionsOf = (language: string) =>
      new Set(known.filter((tag) => tag.split('-')[0] === language && REGION.test(tag)).map((tag) => tag.slice(-2)));
    // Of languages with one further region the table does not say where they are at home.
    const wide = new Set(
      known.map((tag) => tag.split('-')[0] ?? '').filter((language) => regionsOf(language).size > 1),
    );
    const tags = known.filter((tag) => !REGION.test(tag) || wide.has(tag.split('-')[0] ?? ''));
    const drawn = draws(26);
    const neighbors = ['zh', 'sr', 'en', 'es', 'pt', 'ar', 'no', 'nb', 'nn', 'da', 'uz', 'az', 'pa', 'kk', 'hi'];
    const families = neighbors.map((language) => tags.filter((tag) => maximize(tag)[0] === language));
    let matched = 0;
    for (let round = 0; round < 2000; round += 1) {
      const near = families[drawn(families.length)] ?? [];
      const pick = () => (drawn(3) > 0 ? near[drawn(near.length)] : tags[drawn(tags.length)]) ?? 'en';
      const locales = [...new Set(Array.from({ length: 1 + drawn(6) }, pick))];
      const wish = pick();
      const expected = expectedLocale(wish, locales);
      if (expected !== locales[0]) matched += 1;
      expect(resolved(wish, locales), `${wish} of ${locales.join(' ')}`).toBe(expected);
    }
    expect(matched).toBeGreaterThan(500);
  });

  it('serves every locale of CLDR by its language in its script', () => {
    for (const tag of available.availableLocales.full) {
      const [language, script] = maximize(tag);
      if (language.length > 2) continue;
      expect(resolved(tag, ['xx', `${language}-${script}`]), tag).toBe(`${language}-${script}`);
    }
  });
});

describe('text direction', () => {
  it('is that of the script of every locale of CLDR', () => {
    const known: Readonly<Record<string, { rtl: string }>> = scripts.scriptMetadata;
    for (const tag of available.availableLocales.full) {
      const [language, script] = maximize(tag);
      if (language.length > 2) continue;
      expect(textDirection(tag), tag).toBe(known[script]?.rtl === 'YES' ? 'rtl' : 'ltr');
    }
  });
});

/** Numbers below a bound, the same in every run. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
