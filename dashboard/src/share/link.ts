import type { PageAddress } from '../app/navigation/pages';
import type { Dimension } from '../scope/filters';

/** The address of this page; Node has none. */
const { pathname, search } = globalThis.location ?? { pathname: '', search: '' };

/** The token of the shared link that opened this page, as its address has it; undefined for members. Nothing below
 * /share/ is ever a member's page: other sites may frame it. */
export const shareToken = /^\/share\/([^/]+)/.exec(pathname)?.[1];

/** Where the addresses of the application begin. */
export const basePath = shareToken ? `/share/${shareToken}` : '/';

const asked = new URLSearchParams(shareToken ? search : '');

const themes = { light: 'light', dark: 'dark', system: undefined } as const;

/** How a page that embeds the reports wants them: read once, as links between reports do not repeat it. */
export const embed = {
  on: asked.get('embed') === '1',
  theme: themes[(asked.get('theme') ?? 'system') as keyof typeof themes],
  /** A color by name or in hexadecimal digits, or transparent. */
  background: /^([a-z]{1,30}|#[0-9a-f]{3,8})$/i.exec(asked.get('background') ?? '')?.[0],
};

let key = shareToken && (kept(() => sessionStorage.getItem(shareToken)) ?? shareToken);

/** Browsers may refuse storage to pages in frames. */
function kept<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** Lets this tab in by what the server gave for a link's password. */
export function keepKey(given: string) {
  key = given;
  kept(() => sessionStorage.setItem(shareToken!, given));
}

/** The headers that say who reads. */
export const readerHeaders = (): Record<string, string> => (key ? { Authorization: `Bearer ${key}` } : {});

/** What the link shows: the addresses of its reports, and the dimensions that it filters by. */
export type Shown = { pages: ReadonlySet<PageAddress>; fixed: ReadonlySet<Dimension> };

let shown: Shown = { pages: new Set(), fixed: new Set() };

export function noteShown(now: Shown) {
  shown = now;
}

/** Whether whoever looks may open a page by its address. */
export const mayOpen = (page: PageAddress): boolean => !shareToken || shown.pages.has(page);

/** Whether whoever looks may filter by a dimension: a reader may not by those that the link filters by. */
export const mayFilter = (dimension: Dimension): boolean => !shown.fixed.has(dimension);
