import type { Size } from '../canvas/board';

/** How much higher than wide the screens of phones are: from 16:9 to 22:9, with some room for rounding. */
const phones = { least: 1.75, most: 2.45 };

/** Whether an image has the size of a screenshot: the shape of a phone that is held upright or of the device that screens
 * are drawn for, and at least the pixels of a small one. */
export function isScreenSized({ width, height }: Size, device: Size): boolean {
  const shape = height / width;
  const isPhone = shape >= phones.least && shape <= phones.most;
  return width >= 320 && (isPhone || Math.abs(shape / (device.height / device.width) - 1) < 0.01);
}

/** Whether a file is an image of that size; one that is drawn from lines has none. */
export async function isScreenshot(file: File, device: Size): Promise<boolean> {
  const image = await createImageBitmap(file).catch(() => undefined);
  const isOne = image !== undefined && isScreenSized(image, device);
  image?.close();
  return isOne;
}
