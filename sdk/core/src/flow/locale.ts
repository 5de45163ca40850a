import type { FlowManifest, LocalizedText } from '../manifest/types';
import { own } from './record';

/** `en_gb` → `en-GB`: the spelling of manifests. Longer tags keep their further parts as they are. */
export function normalizeLocale(locale: string): string {
  const [language = '', region, ...rest] = locale.trim().replace(/_/g, '-').split('-');
  const parts = [language.toLowerCase()];
  if (region) parts.push(region.length === 2 ? region.toUpperCase() : region);
  return [...parts, ...rest].join('-');
}

/** The language alone: `en-GB` → `en`. */
function language(locale: string): string {
  return locale.split('-')[0] ?? locale;
}

/** Text in the wanted locale: exact, then language, then default. An empty translation counts as missing. */
export function localize(text: LocalizedText, locale: string): string {
  const wanted = normalizeLocale(locale);
  return own(text.translations, wanted) || own(text.translations, language(wanted)) || text.default;
}

/** The locale of the manifest that a wish comes down to; text direction and formats follow it. */
export function resolveLocale(
  manifest: Pick<FlowManifest, 'locales' | 'defaultLocale'>,
  wish: string | undefined,
): string {
  if (!wish) return manifest.defaultLocale;
  const wanted = normalizeLocale(wish);
  const known = [manifest.defaultLocale, ...manifest.locales];
  if (known.includes(wanted)) return wanted;
  const short = language(wanted);
  return known.includes(short) ? short : manifest.defaultLocale;
}

const RTL_LANGUAGES: ReadonlySet<string> = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']);

export function textDirection(locale: string): 'ltr' | 'rtl' {
  return RTL_LANGUAGES.has(language(normalizeLocale(locale))) ? 'rtl' : 'ltr';
}
