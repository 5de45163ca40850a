import { describe, expect, it } from 'vitest';
import { localize, normalizeLocale, resolveLocale, textDirection } from '../../src/flow/locale';
import { parseLocale } from '../../src/flow/locale-match';
import { vectors } from '../support/vectors';

interface Vectors {
  locales: { wish: string; locales: string[]; is: string; why?: string }[];
  languages: { locale: string; is: string }[];
}

const { locales, languages } = vectors<Vectors>('locale');

const resolved = (wish: string | undefined, known: readonly string[]) =>
  resolveLocale({ defaultLocale: known[0] ?? '', locales: [...known] }, wish);

describe('the locale of a flow that a wish comes down to', () => {
  it.each(locales.map((one) => [one.wish, one.locales.join(' '), one.is] as const))(
    '%s of %s is %s',
    (wish, known, is) => {
      expect(resolved(wish, known.split(' '))).toBe(is);
    },
  );

  it('is the default without a wish', () => {
    expect(resolved(undefined, ['en', 'de'])).toBe('en');
    expect(resolveLocale({ defaultLocale: 'en', locales: [] }, 'en-GB')).toBe('en');
  });
});

it.each(languages.map(({ locale, is }) => [locale, is] as const))('the language of %s is %s', (locale, is) => {
  expect(parseLocale(locale).language.split('-')[0]).toBe(is);
});

describe('text direction', () => {
  it('follows the script that is named', () => {
    expect(['ar', 'en', 'he-IL', 'iw', 'ckb-IQ', 'pa-PK', 'pa', 'az-Arab', 'ks-Deva', ''].map(textDirection)).toEqual([
      'rtl',
      'ltr',
      'rtl',
      'rtl',
      'rtl',
      'rtl',
      'ltr',
      'rtl',
      'ltr',
      'ltr',
    ]);
  });
});

describe('texts', () => {
  const of = (locale: string, defaultLocale = 'en') => ({ locale, manifest: { defaultLocale } });

  it('are read in the locale that was resolved', () => {
    const text = { default: 'd', translations: { de: 'D', 'de-AT': 'A', fr: '' } };
    expect(['de-AT', 'de-CH', 'fr', 'it'].map((locale) => localize(text, of(locale)))).toEqual(['A', 'D', 'd', 'd']);
  });

  it('stay in the default locale although a translation is near', () => {
    const text = { default: 'color', translations: { 'en-GB': 'colour', en: '' } };
    expect(localize(text, of('en-US', 'en-US'))).toBe('color');
    expect(localize(text, of('en-AU', 'en-US'))).toBe('colour');
  });

  it('never take another script for what is missing', () => {
    const text = { default: 'd', translations: { 'zh-CN': '简', zh: '简' } };
    expect(localize(text, of('zh-TW'))).toBe('d');
    expect(localize({ default: 'd', translations: { 'zh-HK': '繁' } }, of('zh-TW'))).toBe('繁');
  });

  it('know no inherited keys', () => {
    expect(localize({ default: 'd', translations: {} }, of('constructor'))).toBe('d');
  });
});

it('locales are written as in manifests', () => {
  expect(
    ['en_gb', 'DE', 'zh-hans_CN', 'pt-BR', 'es_419', 'de-AT-u-co-phonebk', 'ca-es-valencia'].map(normalizeLocale),
  ).toEqual(['en-GB', 'de', 'zh-Hans-CN', 'pt-BR', 'es-419', 'de-AT-u-co-phonebk', 'ca-ES-valencia']);
});
