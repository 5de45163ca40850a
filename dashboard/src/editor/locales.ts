import type { JsonObject } from './document/operation';
import { defaultLocaleOf } from './text';

/** The languages of a flow by name, the default one first. */
export function localesIn(flow: JsonObject): { value: string; label: string }[] {
  const own = Array.isArray(flow.locales) ? flow.locales.filter((one) => typeof one === 'string') : [];
  return [...new Set([defaultLocaleOf(flow), ...own])].map((value) => ({ value, label: languageName(value) }));
}

/** A language by its name, in that of the browser. */
export function languageName(locale: string): string {
  try {
    return new Intl.DisplayNames([navigator.language], { type: 'language' }).of(locale) ?? locale;
  } catch {
    return locale;
  }
}
