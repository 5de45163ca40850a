/** Names of countries in a locale; the code itself where the engine knows no name. */
export function countryNamer(locale: string): (code: string) => string {
  let names: Intl.DisplayNames | undefined;
  try {
    names = new Intl.DisplayNames([locale], { type: 'region' });
  } catch {
    names = undefined;
  }
  return (code) => names?.of(code) ?? code;
}

/** Codes in the order of their names. */
export function sortedByName(codes: readonly string[], name: (code: string) => string, locale: string): string[] {
  const collator = new Intl.Collator(locale);
  return [...codes].sort((a, b) => collator.compare(name(a), name(b)));
}
