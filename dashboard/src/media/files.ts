import type { MediaType } from '../graphql/schema.gen';

const mebibyte = 1_048_576;

/** What the server takes of each type, and from which size on people wait for it on a phone. */
export const types: Record<MediaType, { name: string; endings: readonly string[]; most: number; heavy: number }> = {
  IMAGE: { name: 'Images', endings: ['png', 'jpg', 'jpeg', 'webp', 'gif', 'svg'], most: 5 * mebibyte, heavy: 300_000 },
  LOTTIE: { name: 'Lottie', endings: ['json'], most: 10 * mebibyte, heavy: 500_000 },
  VIDEO: { name: 'Videos', endings: ['mp4', 'webm', 'mov'], most: 50 * mebibyte, heavy: 5_000_000 },
  FONT: { name: 'Fonts', endings: ['ttf', 'otf', 'woff', 'woff2'], most: 10 * mebibyte, heavy: 200_000 },
};

/** The type of a file by its name; undefined for what the library does not take. */
export function typeOf(name: string): MediaType | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (Object.keys(types) as MediaType[]).find((type) => types[type].endings.includes(ending));
}

/** Why a file is not even sent; undefined when it is. */
export function refusal({ name, size }: { name: string; size: number }): string | undefined {
  const type = typeOf(name);
  if (!type) {
    const endings = Object.values(types).flatMap(({ endings }) => endings);
    return `${name} is none of ${endings.join(', ')}.`;
  }
  const { most } = types[type];
  return size > most ? `${name} has ${formatBytes(size)}; the library takes ${formatBytes(most)}.` : undefined;
}

/** Why somebody on a phone waits for a file; undefined when they do not. */
export function heaviness(type: MediaType, size: number, contentType: string): string | undefined {
  if (type === 'FONT' && !contentType.includes('woff2') && size > 60_000)
    return `${formatBytes(size)}: as WOFF2 it would be about half.`;
  if (size <= types[type].heavy) return undefined;
  return `${formatBytes(size)}: users on a slow phone wait ${Math.ceil(size / 200_000)} seconds for it.`;
}

/** 512 B, 30 kB, 1.2 MB. */
export function formatBytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const [value, unit] = size < 1_000_000 ? [size / 1000, 'kB'] : [size / 1_000_000, 'MB'];
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${unit}`;
}

/** A manifest or a branding with another asset in every place of one. */
export function replaceAsset(value: unknown, from: string, to: string): unknown {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((item) => replaceAsset(item, from, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceAsset(item, from, to)]));
}

/** Whether a manifest or a branding names an asset. */
export function names(value: unknown, asset: string): boolean {
  if (value === asset) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((item) => names(item, asset));
}
