/** Search parameters as the routes see them: text, or a list of texts for a parameter that repeats. */
export type Search = Record<string, string | string[]>;

/** Parameters that are lists also when they stand once. */
const lists = new Set(['f', 'sf', 'group']);

/** Reads a query string. Whatever it says is readable: what a route does not know or cannot use, its schema drops. */
export function parseSearch(text: string): Search {
  const search: Search = {};
  for (const [key, value] of new URLSearchParams(text.replace(/^\?/, ''))) {
    const before = search[key];
    if (before !== undefined) search[key] = [before, value].flat();
    else search[key] = lists.has(key) ? [value] : value;
  }
  return search;
}

/** Writes one that a person can read: only what would be misread is escaped. */
export function stringifySearch(search: Record<string, unknown>): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(search)) {
    for (const text of [value].flat()) {
      if (text !== undefined && text !== null && text !== '') parts.push(`${escaped(key)}=${escaped(String(text))}`);
    }
  }
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

const escaped = (text: string) =>
  encodeURIComponent(text).replace(/%(2C|3A|2F|40|24|3B)/g, (code) => decodeURIComponent(code));

/** Pages whose address was another before; bookmarks and mails still have it. */
const moved: Record<string, string> = { places: 'locations', technology: 'devices' };

/** The address of today for one that a page of an app had before; undefined when it has not moved. */
export function movedTo(href: string): string | undefined {
  const [, app, page, rest] = /^(\/apps\/[^/?#]+\/[^/?#]+\/)([a-z]+)\/?(?=[?#]|$)(.*)$/s.exec(href) ?? [];
  const now = page !== undefined && Object.hasOwn(moved, page) ? moved[page] : undefined;
  return now && `${app}${now}${rest}`;
}
