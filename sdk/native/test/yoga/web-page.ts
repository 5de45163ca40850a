import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { ReactTestRendererJSON } from 'react-test-renderer';
import { HEIGHT, LINE_OF_A_FIELD, type Measure, type Place, WIDTH, type WordStyle, wordsOf } from './lay-out';
import { StyleSheet } from './react-native';

// What a browser makes of a screen, and the sizes that it gives to words: with these both sides measure alike.

const CANDIDATES = [process.env.CHROME_BIN, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FONT = readFileSync(
  createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
).toString('base64');
/** The font of every screen that is compared. */
export const FAMILY = 'Compared';

/** What is in the page at rest stands where it was laid out. */
const STYLE = `
@font-face{font-family:${FAMILY};src:url(data:font/woff2;base64,${FONT});font-weight:100 900}
html,body,#root{margin:0;height:100%}
*{transform:none!important;rotate:none!important;translate:none!important;scale:none!important;animation:none!important}`;

/**
 * Lines without an authored height are this many times as high as their letters on the web. On phones the font says how
 * high: that they differ is said of each kind once, by `lineHeight`.
 */
const LINE_HEIGHT = 1.3;

interface Word {
  words: string;
  style: WordStyle;
}

const keyOf = (words: string, { fontSize, fontWeight, letterSpacing, fontVariant }: WordStyle) =>
  JSON.stringify([words, fontSize, fontWeight, letterSpacing, fontVariant]);

/** Text elements and the words in them. Of a field only the height of a line matters. */
function wordsIn(json: ReactTestRendererJSON): Word[] {
  const style = StyleSheet.flatten(json.props.style) as WordStyle;
  if (json.type === 'TextInput') return [{ words: LINE_OF_A_FIELD, style }];
  const children = json.children ?? [];
  const inner = children.flatMap((child) => (typeof child === 'string' ? [] : wordsIn(child)));
  return json.type === 'Text' ? [...inner, { words: wordsOf(json), style }] : inner;
}

export class WebPage {
  private constructor(
    private readonly browser: Browser,
    private readonly page: Page,
  ) {}

  static async open(): Promise<WebPage> {
    const executablePath = CANDIDATES.find((path) => path && existsSync(path));
    if (!executablePath) throw new Error('The layouts of the web need Chromium: install it or set CHROME_BIN.');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT }, locale: 'en-US' });
    await page.route('https://cdn.example/**', (route) => {
      const [, width, height] = /(\d+)x(\d+)/.exec(route.request().url()) ?? [];
      const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`;
      return route.fulfill({ contentType: 'image/svg+xml', body });
    });
    return new WebPage(browser, page);
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  /** Places of the layers of a screen, by their ids. */
  async places(markup: string): Promise<Record<string, Place>> {
    const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${STYLE}</style></head>`;
    await this.page.setContent(`${head}<body><div id="root">${markup}</div></body></html>`);
    return this.page.evaluate(async (family) => {
      await Promise.all(['400 16px ', '700 16px '].map((font) => document.fonts.load(font + family)));
      const elements = [...document.querySelectorAll('[data-layer]')];
      return Object.fromEntries(
        elements.map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [element.getAttribute('data-layer'), { x, y, width, height }];
        }),
      );
    }, FAMILY);
  }

  /** Measures all words of a screen, so that they take the same room under the engine of phones. */
  async measureFor(json: ReactTestRendererJSON): Promise<Measure> {
    const parts = wordsIn(json).flatMap(({ words, style }) => [
      ...words.split(/\s/).map((word) => ({ words: word, style })),
      { words: '\u00a0', style },
    ]);
    const widths = await this.page.evaluate(
      ([family, asked]) =>
        asked.map(({ words, style }) => {
          const span = document.createElement('span');
          span.textContent = words;
          const { fontSize = 14, fontWeight = '400', letterSpacing = 0, fontVariant = [] } = style;
          span.style.cssText =
            `position:absolute;white-space:pre;font:${fontWeight} ${fontSize}px/normal ${family};` +
            `letter-spacing:${letterSpacing}px;font-variant-numeric:${fontVariant.join(' ') || 'normal'}`;
          document.body.append(span);
          const { width } = span.getBoundingClientRect();
          span.remove();
          return width;
        }),
      [FAMILY, parts] as const,
    );
    const known = new Map(parts.map(({ words, style }, i) => [keyOf(words, style), widths[i] as number]));
    const widthOf = (words: string, style: WordStyle) => {
      const width = known.get(keyOf(words, style));
      if (width === undefined) throw new Error(`nobody measured "${words}"`);
      return width;
    };
    return (words, style, width) => {
      const room = Number.isNaN(width) ? Number.POSITIVE_INFINITY : width + 0.01;
      const space = widthOf('\u00a0', style);
      // No line is cut, however many may show: words that have no room are to be noticed.
      const lines = words.split('\n').flatMap((paragraph) => {
        const [first = '', ...rest] = paragraph.split(/\s/);
        const filled = [widthOf(first, style)];
        for (const word of rest) {
          const used = filled.pop() as number;
          const wide = widthOf(word, style);
          filled.push(...(used + space + wide > room ? [used, wide] : [used + space + wide]));
        }
        return filled;
      });
      const lineHeight = style.lineHeight ?? (style.fontSize ?? 14) * LINE_HEIGHT;
      return { width: Math.min(room, Math.max(...lines)), height: lines.length * lineHeight };
    };
  }
}
