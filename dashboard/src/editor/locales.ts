import type { JsonObject } from './document/operation';
import { defaultLocaleOf } from './text';

/** The languages of a flow by name, the default one first. */
export function localesIn(flow: JsonObject): { value: string; label: string }[] {
  const own = Array.isArray(flow.locales) ? flow.locales.filter((one) => typeof one === 'string') : [];
  return [...new Set([defaultLocaleOf(flow), ...own])].map((value) => ({ value, label: languageName(value) }));
}

/** Which way a language is written; 'auto' where a browser does not know. */
export function directionOf(locale: string): 'ltr' | 'rtl' | 'auto' {
  try {
    const made = new Intl.Locale(locale) as Intl.Locale & {
      textInfo?: { direction: 'ltr' | 'rtl' };
      getTextInfo?: () => { direction: 'ltr' | 'rtl' };
    };
    return (made.getTextInfo?.() ?? made.textInfo)?.direction ?? 'auto';
  } catch {
    return 'auto';
  }
}

const own = typeof navigator === 'undefined' ? 'en' : navigator.language;
const languages = new Intl.DisplayNames([own], { type: 'language' });

/** A language by its name, in that of the browser. */
export function languageName(locale: string): string {
  try {
    return languages.of(locale) ?? locale;
  } catch {
    return locale;
  }
}
