import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser } from './browser';
import type { Drawn } from './screens/main';

// Every screen of the demo's flows: nothing sticks out, the actions keep a measure, and words can be read.

const { pageUrl } = inject('setup');
const PHONE = { width: 390, height: 844 };
/** High enough for what a phone scrolls to. */
const SCROLLED = { width: 390, height: 1400 };
const DESK = { width: 1440, height: 900 };
const WIDEST_ACTION = 520;
const AA = 4.5;

interface Words {
  text: string;
  box: { x: number; y: number; width: number; height: number };
  color: string;
}

const FLOWS = ['onboarding', 'paywall', 'reminders', 'winback', 'survey'];
const screens = FLOWS.flatMap((flow) => {
  const file = new URL(`../../../../cmd/svc/demo/flows/${flow}.json`, import.meta.url);
  const { screens: list } = JSON.parse(readFileSync(file, 'utf8')) as { screens: { id: string }[] };
  return list.map(({ id }) => ({ flow, screen: id }));
});

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  page = await browser.newPage({ reducedMotion: 'reduce' });
  await page.goto(`${pageUrl}test/screens/index.html`);
  await page.waitForFunction(() => 'draw' in window);
});
afterAll(() => browser?.close());

const draw = async (wanted: Drawn) => {
  const drawn = await page.evaluate((asked) => window.draw(asked), wanted);
  expect(drawn, JSON.stringify(wanted)).toBe(true);
};

/** What is wrong with the places of things, in words. */
function misplaced(widest: number): string[] {
  const problems: string[] = [];
  const width = document.documentElement.clientWidth;
  for (const element of document.querySelectorAll<HTMLElement>('.svc-text, button, [data-option], input, textarea')) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || getComputedStyle(element).opacity === '0') continue;
    const name = `${element.tagName} ${element.textContent?.slice(0, 40)}`;
    if (box.left < -0.5 || box.right > width + 0.5) problems.push(`${name} sticks out: ${box.left} to ${box.right}`);
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      problems.push(`${name} is cut off: ${element.scrollWidth} in ${element.clientWidth}`);
    if (element.tagName === 'BUTTON' && box.width > widest) problems.push(`${name} is ${box.width} px wide`);
    if (element.tagName === 'BUTTON' && box.height < 43.5) problems.push(`${name} is ${box.height} px high`);
  }
  return problems;
}

/** The words of the screen that can be read, where they stand and in what color; then the words are hidden. */
function hideWords(): Words[] {
  const words: Words[] = [];
  for (const element of document.querySelectorAll<HTMLElement>('.svc-text')) {
    const { x, y, width, height } = element.getBoundingClientRect();
    let opacity = 1;
    let disabled = false;
    for (let node: HTMLElement | null = element; node; node = node.parentElement) {
      opacity *= Number(getComputedStyle(node).opacity);
      disabled ||= node.ariaDisabled === 'true' || node.matches(':disabled');
    }
    if (opacity === 0 || disabled || width === 0) continue;
    words.push({
      text: element.textContent ?? '',
      box: { x, y, width, height },
      color: getComputedStyle(element).color,
    });
  }
  const style = document.createElement('style');
  style.id = 'without-words';
  // The line through an old price belongs to its words.
  style.textContent = '.svc-text{color:transparent!important}[data-layer$=_strike]{visibility:hidden!important}';
  document.head.append(style);
  return words;
}

/** The words whose color is too near to some pixel behind them. */
async function unreadable({ words, picture, least }: { words: Words[]; picture: string; least: number }) {
  document.getElementById('without-words')?.remove();
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const paint = canvas.getContext('2d', { willReadFrequently: true });
  if (!paint) throw new Error('there is no canvas');
  paint.drawImage(image, 0, 0);
  const light = (rgb: ArrayLike<number>) => {
    const [r = 0, g = 0, b = 0] = [0, 1, 2].map((i) => {
      const share = (rgb[i] ?? 0) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const problems: string[] = [];
  for (const { text, box, color } of words) {
    const own = light((color.match(/[\d.]+/g) ?? []).map(Number));
    const x = Math.max(0, Math.floor(box.x));
    const y = Math.max(0, Math.floor(box.y));
    const width = Math.min(image.width - x, Math.ceil(box.width));
    const height = Math.min(image.height - y, Math.ceil(box.height));
    if (width <= 0 || height <= 0) continue;
    const { data } = paint.getImageData(x, y, width, height);
    let worst = 21;
    for (let i = 0; i < data.length; i += 16) {
      const behind = light(data.subarray(i, i + 3));
      worst = Math.min(worst, (Math.max(own, behind) + 0.05) / (Math.min(own, behind) + 0.05));
    }
    if (worst < least) problems.push(`${text}: ${worst.toFixed(2)}`);
  }
  return problems;
}

describe.each(screens)('$flow $screen', ({ flow, screen }) => {
  it('fits a phone and a desk in every language', async () => {
    for (const locale of ['en', 'de', 'ar']) {
      for (const size of [{ width: 320, height: 640 }, PHONE, DESK]) {
        await page.setViewportSize(size);
        await draw({ flow, screen, locale, theme: 'light' });
        expect(await page.evaluate(misplaced, WIDEST_ACTION), `${locale} at ${size.width}`).toEqual([]);
      }
    }
  });

  it('can be read, light and dark', async () => {
    for (const size of [SCROLLED, DESK]) {
      await page.setViewportSize(size);
      for (const theme of ['light', 'dark'] as const) {
        await draw({ flow, screen, locale: 'en', theme });
        const words = await page.evaluate(hideWords);
        expect(words.length).toBeGreaterThan(0);
        const picture = (await page.screenshot()).toString('base64');
        expect(await page.evaluate(unreadable, { words, picture, least: AA }), `${theme} at ${size.width}`).toEqual([]);
      }
    }
  });
});
