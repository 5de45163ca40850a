import type { FlowManifest, LocalizedText } from '../manifest/types';
import { capitalized, closestLocale, parseLocale } from './locale-match';
import { RIGHT_TO_LEFT } from './locale-table.gen';
import { own } from './record';

/** `zh_hans_cn` → `zh-Hans-CN`: the spelling of manifests. Variants and extensions stay as they are. */
export function normalizeLocale(locale: string): string {
  const [language = '', ...rest] = locale.trim().replace(/_/g, '-').split('-');
  const end = rest.findIndex((part) => part.length === 1);
  const parts = rest.map((part, at) => {
    if (end >= 0 && at > end) return part;
    if (part.length === 2) return part.toUpperCase();
    return /^[a-z]{4}$/i.test(part) ? capitalized(part) : part;
  });
  return [language.toLowerCase(), ...parts].join('-');
}

/** Whose texts are read: the locale that a wish came down to, and the manifest that has it. */
export interface TextLocale {
  locale: string;
  manifest: Pick<FlowManifest, 'defaultLocale'>;
}

/** Text in a locale of the manifest; where it is missing or empty, in the locale nearest to it that the text has. */
export function localize(text: LocalizedText, { locale, manifest }: TextLocale): string {
  const { translations = {} } = text;
  const translated = own(translations, locale);
  if (translated || locale === manifest.defaultLocale) return translated || text.default;
  const has = Object.keys(translations).filter((key) => translations[key]);
  return own(translations, closestLocale(locale, [manifest.defaultLocale, ...has]) ?? '') || text.default;
}

/** The locale of the manifest that serves a wish best, else its default; text direction and formats follow it. */
export function resolveLocale(
  manifest: Pick<FlowManifest, 'locales' | 'defaultLocale'>,
  wish: string | undefined,
): string {
  if (!wish) return manifest.defaultLocale;
  const wanted = normalizeLocale(wish);
  const known = [manifest.defaultLocale, ...manifest.locales];
  return known.includes(wanted) ? wanted : (closestLocale(wish, known) ?? manifest.defaultLocale);
}

export function textDirection(locale: string): 'ltr' | 'rtl' {
  const { script } = parseLocale(locale);
  return script !== '' && RIGHT_TO_LEFT.includes(script) ? 'rtl' : 'ltr';
}
