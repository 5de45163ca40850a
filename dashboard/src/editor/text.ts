import { find, isObject } from './document/canonical';
import type { Json, JsonObject, NodeId, Operation } from './document/operation';

/** A text as it is written in a language, templates and all; '' where it has none of its own. */
export function readText(value: Json | undefined, locale: string, defaultLocale: string): string {
  if (!isObject(value)) return '';
  const text = locale === defaultLocale ? value.default : find(value, ['translations', locale]);
  return typeof text === 'string' ? text : '';
}

/** What shows in a language: its own text, else that of the default language. */
export function shownText(value: Json | undefined, locale: string, defaultLocale: string): string {
  return readText(value, locale, defaultLocale) || readText(value, defaultLocale, defaultLocale);
}

/** Writes a text in one language. A translation without words is taken away: it counts as missing. */
export function writeText(
  node: NodeId,
  path: readonly string[],
  text: string,
  locale: string,
  defaultLocale: string,
  object: JsonObject,
): Operation {
  if (locale === defaultLocale) return { op: 'set', node, path: [...path, 'default'], value: text };
  if (text === '') return { op: 'unset', node, path: [...path, 'translations', locale] };
  // A text that is not there yet needs its default form too.
  if (!isObject(find(object, path)))
    return { op: 'set', node, path, value: { default: text, translations: { [locale]: text } } };
  return { op: 'set', node, path: [...path, 'translations', locale], value: text };
}

export function defaultLocaleOf(flow: JsonObject): string {
  return typeof flow.defaultLocale === 'string' ? flow.defaultLocale : 'en';
}
