import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../screenshots');
/** Set to take the pictures anew; then look at every one of them. */
const UPDATE = process.env.SVC_UPDATE_SCREENSHOTS === 'yes';
/** Difference of a color channel that machines may have: they smooth the edges of letters differently. */
const CHANNEL_TOLERANCE = 48;
/** Share of pixels that may differ by more. */
export const PIXEL_TOLERANCE = 0.005;

/** Compares two pictures in the page, which has everything that it takes to read them. */
export function differingShare(page: Page, before: Buffer, after: Buffer): Promise<number> {
  return page.evaluate(
    async ([a, b, tolerance]) => {
      const pixels = async (base64: string) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const { width, height } = image;
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        context.drawImage(image, 0, 0);
        return { width, height, data: context.getImageData(0, 0, width, height).data };
      };
      const [old, now] = await Promise.all([pixels(a), pixels(b)]);
      if (old.width !== now.width || old.height !== now.height) return 1;
      let differing = 0;
      for (let at = 0; at < old.data.length; at += 4) {
        const isOther = [0, 1, 2].some((c) => Math.abs((old.data[at + c] ?? 0) - (now.data[at + c] ?? 0)) > tolerance);
        if (isOther) differing += 1;
      }
      return differing / (old.width * old.height);
    },
    [before.toString('base64'), after.toString('base64'), CHANNEL_TOLERANCE] as const,
  );
}

/** A picture of the page without carets, rings and motion. */
export async function takePicture(page: Page): Promise<Buffer> {
  await page.evaluate(async () => {
    (document.activeElement as HTMLElement | null)?.blur();
    await document.fonts.ready;
  });
  await page.mouse.move(0, 0);
  return page.screenshot({ animations: 'disabled', caret: 'hide' });
}

export function keptPicture(name: string): Buffer {
  return readFileSync(join(folder, `${name}.png`));
}

/** Holds a picture to the one that is kept under this name. */
export async function expectPicture(page: Page, name: string, picture: Buffer): Promise<void> {
  const file = join(folder, `${name}.png`);
  const actual = join(folder, `${name}.actual.png`);
  if (UPDATE) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, picture);
  }
  if (!existsSync(file)) throw new Error(`there is no ${name}.png: take it with SVC_UPDATE_SCREENSHOTS=yes`);
  const share = await differingShare(page, readFileSync(file), picture);
  if (share > PIXEL_TOLERANCE) writeFileSync(actual, picture);
  else rmSync(actual, { force: true });
  expect(share, `look at ${name}.actual.png beside ${name}.png`).toBeLessThanOrEqual(PIXEL_TOLERANCE);
}
