/** What a file says of its translations when it is made, so that those that changed in the flow since are told from
 * those that changed in the file: a short number for each, `de=1x3f9a fr=0`. */
export const exportedMark = (translations: readonly (readonly [locale: string, words: string])[]) =>
  translations.map(([locale, words]) => `${locale}=${markOf(words)}`).join(' ');

/** The numbers of a mark by language; of what is no mark none. */
export function readMark(mark: string): ReadonlyMap<string, string> {
  return new Map(
    [...mark.matchAll(/(?:^|\s)([A-Za-z-]{2,20})=([\da-z]{1,7})(?=\s|$)/g)].map(([, locale, of]) => [locale!, of!]),
  );
}

/** FNV-1a, short enough for a cell. Spreadsheets change ends of lines, and lose white space at the ends of words. */
export function markOf(words: string): string {
  let hash = 0x811c9dc5;
  for (const unit of words.replaceAll('\r\n', '\n').trim()) {
    hash = Math.imul(hash ^ unit.codePointAt(0)!, 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
