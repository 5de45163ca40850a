import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** Set to draw the baselines anew. Look at every one of them before it is committed. */
const UPDATE = process.env.UPDATE_SCREENSHOTS === '1';
/** How far a channel of a pixel may be off, of 255: edges are smoothed a little differently from release to release. */
const CHANNEL_TOLERANCE = 32;
/** Share of pixels that may be off. */
const PIXEL_TOLERANCE = 0.002;

function compare([a, b, channel]: [string, string, number]): Promise<number> {
  const pixels = async (base64: string) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext(
      '2d',
    ) as OffscreenCanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  return Promise.all([pixels(a), pixels(b)]).then(([left, right]) => {
    if (left.width !== right.width || left.height !== right.height) return 1;
    let off = 0;
    for (let i = 0; i < left.data.length; i += 4) {
      const differs = [0, 1, 2].some((c) => Math.abs((left.data[i + c] ?? 0) - (right.data[i + c] ?? 0)) > channel);
      if (differs) off += 1;
    }
    return off / (left.width * left.height);
  });
}

/**
 * Compares what the page shows with its baseline in `screenshots/`. Returns what is wrong, or null; the picture that
 * was taken then lies beside the baseline, as `<name>.actual.png`.
 */
export async function pictureProblem(page: Page, name: string): Promise<string | null> {
  const file = (kind: string) => fileURLToPath(new URL(`./screenshots/${name}${kind}.png`, import.meta.url));
  const taken = await page.screenshot({ animations: 'disabled' });
  if (UPDATE) {
    writeFileSync(file(''), taken);
    return null;
  }
  if (!existsSync(file(''))) return `${name} has no baseline: run with UPDATE_SCREENSHOTS=1 and look at it`;
  const baseline = readFileSync(file('')).toString('base64');
  const off = await page.evaluate(compare, [baseline, taken.toString('base64'), CHANNEL_TOLERANCE] as never);
  if (off <= PIXEL_TOLERANCE) return null;
  writeFileSync(file('.actual'), taken);
  return `${name}: ${(off * 100).toFixed(2)} % of the pixels differ from the baseline`;
}
