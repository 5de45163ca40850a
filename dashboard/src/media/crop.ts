import type { PercentCrop } from 'react-image-crop';

/** Shapes of a part, as width to height. */
export const ratios = {
  Any: undefined,
  '1:1': 1,
  '4:3': 4 / 3,
  '16:9': 16 / 9,
  '3:4': 3 / 4,
  '9:16': 9 / 16,
} as const satisfies Record<string, number | undefined>;

const endings: Record<string, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' };

/** Whether a part can be cut out of a file: of a drawing nothing is gained, of an animation one picture would be left. */
export const croppable = (contentType: string): boolean => contentType in endings;

/** A part in pixels of the picture itself, whole ones within it; undefined when it is less than one. */
export function pixelsOf(
  crop: PercentCrop,
  wide: number,
  high: number,
): { x: number; y: number; width: number; height: number } | undefined {
  const x = Math.round((crop.x / 100) * wide);
  const y = Math.round((crop.y / 100) * high);
  const width = Math.min(wide - x, Math.round((crop.width / 100) * wide));
  const height = Math.min(high - y, Math.round((crop.height / 100) * high));
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** The name of a part of a file; its ending says the type to the library. */
export const croppedName = (name: string, contentType: string): string => `${name} cropped.${endings[contentType]}`;
