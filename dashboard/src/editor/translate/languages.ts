import { languageName } from '../locales';

/** Languages that are offered; a file may name any other by its code. */
const offered =
  'af am ar az be bg bn bs ca cs cy da de el en en-GB es es-419 et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lo lt lv mk ml mn mr ms my nb ne nl pa pl pt pt-BR ro ru si sk sl sq sr sv sw ta te th tr uk ur uz vi zh-Hans zh-Hant'.split(
    ' ',
  );

/** The codes that manifests take. */
const code = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$/;

/** The languages that a flow does not have yet, by name. */
export const languagesBeside = (had: ReadonlySet<string>): { value: string; label: string }[] =>
  offered
    .filter((one) => !had.has(one))
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label));

/** The code of a language that is written as a code in any case, or by name: in English, in the language of the browser
 * or in itself; `German (de)` too. Undefined for what is none. `had` are languages that are not among those offered. */
export function languageCalled(words: string, had: readonly string[]): string | undefined {
  const said = words.trim();
  const inside = /\(([^()]+)\)$/.exec(said)?.[1];
  const asCode = canonical(inside ?? said);
  // Every language of two letters has a name; words such as “Key” are no codes.
  if (asCode && (had.includes(asCode) || offered.includes(asCode) || isKnown(asCode))) return asCode;
  const name = said.toLowerCase();
  return [...had, ...offered].find((one) =>
    ['en', undefined, one].some((reader) => nameIn(reader, one)?.toLowerCase() === name),
  );
}

function canonical(words: string): string | undefined {
  try {
    const [found = ''] = Intl.getCanonicalLocales(words.replaceAll('_', '-'));
    return code.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

const isKnown = (locale: string) => nameIn('en', locale) !== undefined;

function nameIn(reader: string | undefined, locale: string): string | undefined {
  try {
    return new Intl.DisplayNames(reader, { type: 'language', fallback: 'none' }).of(locale);
  } catch {
    return undefined;
  }
}
