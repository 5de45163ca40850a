import type { Branding, FontFamily } from '../api/types';
import type { Theme } from '../manifest/types';

const SYSTEM_UI = /^__[a-z]+_system_ui__$/;

/** The family that a text asks for: its own, else the theme's; null stands for the platform's own. */
export function logicalFontFamily(family: string | undefined, theme: Theme | undefined): string | null {
  const name = (family ?? theme?.fontFamily ?? '').trim();
  return name === '' || SYSTEM_UI.test(name) ? null : name;
}

export function findFontFamily(branding: Branding | undefined, name: string): FontFamily | undefined {
  return branding?.fontFamilies.find((family) => family.name === name);
}

export interface FontFile {
  styleId: string;
  weight: number;
  italic: boolean;
  url: string;
}

/** The uploaded files of a family. The media map wins over the address stored with the style. */
export function fontFiles(family: FontFamily, mediaMap: Readonly<Record<string, string>> | undefined): FontFile[] {
  return family.styles.flatMap(({ id, weight, italic, mediaAssetId, url }) => {
    const address = (mediaAssetId ? mediaMap?.[mediaAssetId] : undefined) ?? url;
    return address ? [{ styleId: id, weight, italic, url: address }] : [];
  });
}

/** The file for a weight: exact and upright, else exact, else the first there is. */
export function fontFileForWeight(files: readonly FontFile[], weight: number): FontFile | undefined {
  return (
    files.find((file) => file.weight === weight && !file.italic) ??
    files.find((file) => file.weight === weight) ??
    files[0]
  );
}

/** Name under which native platforms know the file of one style. */
export function fontRegistrationName(styleId: string): string {
  return `SvcFont__${styleId}`;
}

/** Registration names and addresses of every uploaded font, for hosts that load them themselves. */
export function buildBrandingFontLoadMap(
  branding: Branding | undefined,
  mediaMap?: Readonly<Record<string, string>>,
): Record<string, string> {
  const files = (branding?.fontFamilies ?? []).flatMap((family) => fontFiles(family, mediaMap));
  return Object.fromEntries(files.map((file) => [fontRegistrationName(file.styleId), file.url]));
}
