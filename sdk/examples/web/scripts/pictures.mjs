// Takes a picture of every screen of the demo's flows: on a phone and on a desk, light and dark, in three languages; and
// of every template on a phone, in each of its languages.
// `npm run pictures -w svc-example-web [-- folder [flow, template or screen …]]`; needs Chromium, no server. Languages that
// the machine has no letters for are drawn as boxes.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';

const read = (path) => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'));
const DEMO = ['onboarding', 'paywall', 'reminders', 'winback', 'survey'];
const TEMPLATES = read('studio/templates/index.json').map(({ id }) => id);
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } };
const LOOKS = [
  { theme: 'light', locale: 'en' },
  { theme: 'dark', locale: 'en' },
  { theme: 'light', locale: 'ar' },
  { theme: 'dark', locale: 'de' },
];
/** The first option of every choice, and a name, for the screens that show answers. */
function answersOf(manifest) {
  const answers = { first_name: { kind: 'text', value: 'Ana', classification: 'sensitive' } };
  JSON.stringify(manifest, (_, value) => {
    const [first, second] = (value?.optionBindings ?? []).map(({ optionId }) => optionId);
    if (value?.kind === 'single_choice') answers[value.fieldKey] = { kind: 'choice', choiceId: first };
    if (value?.kind === 'multiple_choice')
      answers[value.fieldKey] = { kind: 'multiChoice', choiceIds: second ? [first, second] : [first] };
    if (value?.kind === 'scale_input')
      answers[value.fieldKey] = { kind: 'scale', value: value.defaultValue ?? value.min };
    return value;
  });
  return answers;
}

const flows = [
  ...DEMO.map((flow) => ({ flow, manifest: read(`cmd/svc/demo/flows/${flow}.json`), sizes: SIZES, looks: LOOKS })),
  ...TEMPLATES.map((flow) => {
    const manifest = read(`studio/templates/${flow}/manifest.json`);
    const looks = manifest.locales.flatMap((locale) => ['light', 'dark'].map((theme) => ({ theme, locale })));
    return { flow, manifest, sizes: { phone: SIZES.phone }, looks, answers: answersOf(manifest) };
  }),
];

const CHROME = [process.env.CHROME_BIN, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const [folder = 'pictures', ...wanted] = process.argv.slice(2);
const target = resolve(folder);
mkdirSync(target, { recursive: true });
const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
const server = await createServer({ configFile, server: { port: 0 }, logLevel: 'error' });
await server.listen();
const browser = await chromium.launch({
  executablePath: CHROME.find((path) => path && existsSync(path)),
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  await page.goto(new URL('test/screens/index.html', server.resolvedUrls.local[0]).href);
  await page.waitForFunction(() => 'draw' in window);
  for (const { flow, manifest, sizes, looks, answers } of flows) {
    for (const { id } of manifest.screens) {
      if (wanted.length > 0 && !wanted.includes(flow) && !wanted.includes(id)) continue;
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.setViewportSize(viewport);
        for (const { theme, locale } of looks) {
          await page.evaluate((drawn) => window.draw(drawn), { flow, screen: id, theme, locale, answers });
          await page.screenshot({ path: join(target, `${flow}-${id.slice(4)}-${size}-${theme}-${locale}.png`) });
        }
      }
    }
  }
} finally {
  await browser.close();
  await server.close();
}
console.log(target);
