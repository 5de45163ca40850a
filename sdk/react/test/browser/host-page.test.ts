import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { GALLERY, GALLERY_MEDIA } from '../support/gallery';
import { manifest, screen, served, text } from '../support/manifests';
import { layer, mount, useBrowser } from './browser';
import { NONCE, openHost } from './host-page';
import { differingShare, expectPicture, PIXEL_TOLERANCE, takePicture } from './pictures';

const GERMAN = { loadFailed: 'Das konnte nicht geladen werden.', retry: 'Noch einmal versuchen', loading: 'Lädt' };
const ARABIC = { loadFailed: 'تعذّر التحميل.', retry: 'حاول مرة أخرى' };

/** Writes what is in the font of the system in the same letters on every machine. */
async function useInter(page: Page): Promise<void> {
  const file = createRequire(import.meta.url).resolve('@fontsource/inter/files/inter-latin-400-normal.woff2');
  await page.evaluate(
    async (base64) => {
      const face = new FontFace('-apple-system', `url(data:font/woff2;base64,${base64})`);
      document.fonts.add(await face.load());
    },
    readFileSync(file, 'base64'),
  );
}

describe('what stands in for a flow', () => {
  const open = useBrowser({ reducedMotion: 'reduce', width: 390, height: 240 });

  it.each(['light', 'dark'] as const)('can be read in the %s palette', async (theme) => {
    const page = await open();
    await openHost(page, { theme, offline: true, copy: GERMAN, locale: 'de' });
    await page.getByRole('alert').waitFor();
    await useInter(page);
    await expectPicture(page, `resolve-error.${theme}`, await takePicture(page));
    const seen = await page.locator('.svc-screen').evaluate((root) => {
      const { backgroundColor, color } = getComputedStyle(root);
      return [backgroundColor, color];
    });
    expect(seen).toEqual(
      theme === 'dark' ? ['rgb(10, 10, 10)', 'rgb(255, 255, 255)'] : ['rgb(255, 255, 255)', 'rgb(0, 0, 0)'],
    );
  });

  it('paints the spinner on its background too, and says what it is', async () => {
    const page = await open();
    await openHost(page, { theme: 'dark', copy: GERMAN }, { server: true, script: false });
    expect(await page.getByRole('status').getAttribute('aria-label')).toBe('Lädt');
    await expectPicture(page, 'loading.dark', await takePicture(page));
  });

  it('offers nothing to press where that cannot help, and reads from the right in Arabic', async () => {
    const page = await open();
    await openHost(page, { theme: 'dark', copy: ARABIC, locale: 'ar' });
    await page.getByText(ARABIC.loadFailed).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.locator('.svc-screen').getAttribute('dir')).toBe('rtl');
  });
});

/** What pages do to everything, to elements by name and to all that inherits. */
const HOSTILE = `
:root,body,#root{letter-spacing:3px;text-transform:uppercase;font:italic 700 31px/2.4 monospace;word-spacing:12px;
  text-indent:40px;text-shadow:2px 2px red;cursor:wait;text-align:right;white-space:nowrap;word-break:break-all;
  -webkit-text-stroke:1px red;-webkit-text-fill-color:red;list-style:square;caret-color:red;color:red;tab-size:20;
  font-variant:small-caps;font-feature-settings:"zero";text-decoration:underline;line-break:anywhere;hyphens:auto;
  visibility:hidden;pointer-events:none;writing-mode:vertical-lr;fill:red;stroke:red;stroke-width:9;
  text-align-last:right;text-wrap:balance;-webkit-user-select:none;quotes:"x" "x";border-collapse:collapse;
  accent-color:red;image-rendering:pixelated;text-emphasis:dot red;font-size-adjust:.9;orphans:9}
#root *{margin:7px;padding:3px;border:1px dotted red;box-sizing:content-box;transition:all 9s;letter-spacing:2px;
  max-width:90%;float:left;filter:grayscale(1)}
#root .svc-flow{margin:0;padding:0;border:0;max-width:none;float:none;filter:none}
#root button,#root input,#root select,#root textarea{background:yellow;min-height:80px;border-radius:0;box-shadow:0 0 9px red}
#root svg{width:10px;height:auto;fill:red;vertical-align:middle;overflow:hidden}
#root path,#root circle,#root rect{stroke:red;fill:lime;stroke-width:30}
#root img,#root video{border-radius:50%;height:20px}
#root a{color:red;text-decoration:underline wavy}
#root fieldset{border:3px solid;padding:20px}
#root ::before,#root ::after{content:'x';display:block;height:30px;background:red}
#root ::placeholder{color:red;font-style:italic}
#root [hidden]{display:block}
#root span,#root section,#root form{display:inline;position:static;font-size:40px}
`;

/** Computed styles of everything in the flow. */
const computed = (page: Page) =>
  page.locator('.svc-screen').evaluate((root) =>
    [root, ...root.querySelectorAll('*')].map((element) => {
      const style = getComputedStyle(element);
      const name = `${element.tagName} ${element.getAttribute('data-layer') ?? element.className}`;
      return [name, Object.fromEntries([...style].map((property) => [property, style.getPropertyValue(property)]))];
    }),
  );

/** Waits for parts that a layer loads when it is drawn: until nothing was asked for or changed during ten frames. */
const stillness = (page: Page) =>
  page.locator('.svc-screen').evaluate(async (root) => {
    const loaded = () => performance.getEntriesByType('resource').length;
    let changes = 0;
    const observer = new MutationObserver(() => changes++);
    observer.observe(root, { childList: true, subtree: true });
    for (let frames = 0, before = -1; frames < 10; frames++) {
      const now = changes + loaded();
      if (now !== before) frames = 0;
      before = now;
      await new Promise((later) => requestAnimationFrame(() => setTimeout(later, 20)));
    }
    observer.disconnect();
  });

function differences(before: Awaited<ReturnType<typeof computed>>, after: typeof before): string[] {
  expect(after.length).toBe(before.length);
  return before.flatMap(([name, style], at) => {
    const now = after[at]?.[1] as Record<string, string>;
    return Object.entries(style as Record<string, string>).flatMap(([property, value]) =>
      now[property] === value ? [] : [`${name} ${property}: ${value} became ${now[property]}`],
    );
  });
}

describe('the styles of a page', () => {
  const open = useBrowser({ reducedMotion: 'reduce', width: 360, height: 420 });
  const kinds = [
    'text_input',
    'single_choice',
    'checkbox',
    'oauth_login',
    'address_input',
    'scale_input',
    'hyperlink',
    'image',
    'loader',
    'wheel_picker',
  ] as const;

  it('never reach a flow, whether they are inherited or name its elements', async () => {
    const page = await open();
    for (const kind of kinds) {
      const show = async () => {
        await mount(page, GALLERY[kind].manifest, { timeMs: 60_000, mediaMap: { ...GALLERY_MEDIA } });
        await stillness(page);
        return { styles: await computed(page), picture: await takePicture(page) };
      };
      const clean = await show();
      const sheet = await page.addStyleTag({ content: HOSTILE });
      const dirty = await show();
      await sheet.evaluate((element) => (element as HTMLElement).remove());
      expect(differences(clean.styles, dirty.styles), kind).toEqual([]);
      expect(await differingShare(page, clean.picture, dirty.picture), kind).toBeLessThanOrEqual(PIXEL_TOLERANCE);
    }
  }, 120_000);

  it('dress the box that the host gave a class', async () => {
    const page = await open();
    const flow = served(GALLERY.text.manifest);
    await openHost(page, { flow, className: 'card' });
    await page.addStyleTag({ content: 'div{height:10px}.card{height:300px;border-radius:24px}' });
    const box = await page.locator('.card').boundingBox();
    expect(box?.height).toBe(300);
    expect(await page.locator('.card').evaluate((card) => getComputedStyle(card).borderRadius)).toBe('24px');
  });
});

describe('a page whose policy blocks inline styles', () => {
  const open = useBrowser({ reducedMotion: 'reduce', width: 360, height: 420 });
  const found = (page: Page) => page.evaluate(() => (window as unknown as { violations: string[] }).violations);
  const kinds = [
    'text',
    'text_input',
    'single_choice',
    'checkbox',
    'oauth_login',
    'scale_input',
    'image',
    'carousel',
    'lottie',
    'number_stepper',
    'wheel_picker',
    'progress',
    'icon',
  ] as const;

  it('shows flows as any other does, before its script has come and after, and has nothing to report', async () => {
    const page = await open();
    for (const kind of kinds) {
      const flow = { ...served(GALLERY[kind].manifest), mediaMap: { ...GALLERY_MEDIA } };
      const options = { flow, initial: true, nonce: NONCE };
      const ready = async () => {
        await page.waitForLoadState('networkidle');
        return takePicture(page);
      };
      await openHost(page, options);
      const wanted = await ready();
      await openHost(page, options, { server: true, policy: true });
      expect(await differingShare(page, wanted, await ready()), kind).toBeLessThanOrEqual(PIXEL_TOLERANCE);
      expect(await found(page), kind).toEqual([]);
      await openHost(page, options, { server: true, policy: true, script: false });
      await page.waitForLoadState('networkidle');
      expect(await page.locator('[style]').count(), kind).toBe(0);
      const early = await ready();
      // Icons and animations are loaded by the script.
      if (!['icon', 'lottie', 'oauth_login', 'wheel_picker', 'carousel'].includes(kind)) {
        expect(await differingShare(page, wanted, early), `${kind}, early`).toBeLessThanOrEqual(PIXEL_TOLERANCE);
      }
      expect(await found(page), kind).toEqual([]);
    }
  }, 240_000);
});

describe('a page whose policy blocks inline styles, without the nonce', () => {
  const open = useBrowser({ expectedErrors: /Content Security Policy/ });

  it('would have something to report', async () => {
    const page = await open();
    await openHost(page, { flow: served(GALLERY.text.manifest), initial: true }, { server: true, policy: true });
    expect(await page.evaluate(() => (window as unknown as { violations: string[] }).violations)).not.toEqual([]);
  });
});

describe('letters that are joined', () => {
  const open = useBrowser();
  const flow = served(
    manifest([screen('scr_a', [text('lyr_t', 'مرحبا', { letterSpacing: 0.1 })])], { locales: ['en', 'ar', 'ar-EG'] }),
  );

  it.each([
    ['en', '1.6px'],
    ['ar', 'normal'],
    ['ar-EG', 'normal'],
  ])('are not pulled apart: %s', async (locale, spacing) => {
    const page = await open();
    await openHost(page, { flow, locale }, { wait: '[data-screen=scr_a]' });
    const seen = await page.locator(layer('lyr_t')).evaluate((element) => getComputedStyle(element).letterSpacing);
    expect(seen).toBe(spacing);
  });
});
