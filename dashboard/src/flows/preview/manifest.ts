/** What pages read of a manifest themselves. Drafts may be wrong: whatever is not as it should be is left out. */
export type Step = { id: string; name: string };

/** The screens of a manifest, the first one first. */
export function screensOf(manifest: unknown): Step[] {
  const { screens, entryScreenId } = asObject(manifest);
  const found = (Array.isArray(screens) ? screens : []).flatMap((screen) => {
    const { id, name } = asObject(screen);
    return typeof id === 'string' ? [{ id, name: typeof name === 'string' && name !== '' ? name : id }] : [];
  });
  return found.toSorted((a, b) => Number(b.id === entryScreenId) - Number(a.id === entryScreenId));
}

/** The languages of a manifest, the default one first. */
export function localesOf(manifest: unknown): string[] {
  const { locales, defaultLocale } = asObject(manifest);
  const texts = [defaultLocale, ...(Array.isArray(locales) ? locales : [])].filter((text) => typeof text === 'string');
  return [...new Set(texts)];
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
