import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { addressOf, page, server, suite } from './suite';
import { barriers, violations } from './visitor';

suite();

const svg = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="${color}"/></svg>`;
const file = (name: string, content: string) => ({ name, mimeType: 'image/svg+xml', buffer: Buffer.from(content) });

/** Gives the page a file as a drop or a paste does. */
const hand = (how: 'drop' | 'paste', name: string, content: string) =>
  page.evaluate(
    ([how, name, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content!], name!, { type: 'image/svg+xml' }));
      const event =
        how === 'drop'
          ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: data, bubbles: true });
      (how === 'drop' ? document.querySelector('h1')! : document.body).dispatchEvent(event);
    },
    [how, name, content],
  );

test('files are chosen, dropped and pasted, named, found where they are used, replaced and archived', async () => {
  await page.goto(addressOf('media'));
  await page.getByRole('heading', { level: 1, name: 'Media' }).waitFor();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(file('chosen.svg', svg('red')));
  await page.getByRole('button', { name: /chosen/ }).waitFor();
  await hand('drop', 'dropped.svg', svg('green'));
  await page.getByRole('button', { name: /dropped/ }).waitFor();
  await hand('paste', 'pasted.svg', svg('blue'));
  await page.getByRole('button', { name: /pasted/ }).waitFor();
  await hand('drop', 'notes.txt', 'words');
  await page.getByText(/^notes\.txt is none of png, jpg/).waitFor();
  await hand('drop', 'broken.png', 'no picture');
  await page.getByRole('alert').filter({ hasText: 'This was refused' }).waitFor();

  await page.getByRole('button', { name: /chosen/ }).click();
  const drawer = page.getByRole('dialog');
  const picture = drawer.getByRole('img', { name: 'chosen' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await drawer.getByText('Not used anywhere.').waitFor();
  await drawer.getByRole('textbox', { name: 'Name' }).fill('Sunrise');
  await drawer.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Sunrise' }).waitFor();

  const asset = new URL(page.url()).searchParams.get('file')!;
  const flow = await flowWith(asset);
  await page.reload();
  await drawer.getByRole('link', { name: 'With a picture' }).waitFor();
  await drawer.locator('input[type=file]').setInputFiles(file('evening.svg', svg('orange')));
  await drawer.getByText('evening stands in 1 draft now. Publish to show it.').waitFor();
  await drawer.getByText('Not used anywhere.').waitFor();
  const { flow: now } = await server.ask<{ flow: { draft: unknown } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
    id: flow,
  });
  const draft = JSON.stringify(now.draft);
  expect(draft).not.toContain(asset);
  expect(draft).toMatch(/"mediaAssetId":"[0-9a-f-]{36}"/);
  await drawer.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('textbox', { name: 'Type Sunrise to confirm' }).fill('Sunrise');
  await page.getByRole('dialog', { name: 'Archive Sunrise' }).getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: /Sunrise/ }).waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: /evening/ }).count()).toBe(1);
});

test('a part of a picture becomes a file, and stands where the picture stood', async () => {
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 400, height: 300 } });
  await page.goto(addressOf('media'));
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'view.png', mimeType: 'image/png', buffer: picture });
  await page.getByRole('button', { name: /^view/ }).click();
  const drawer = page.getByRole('dialog', { name: 'view', exact: true });
  const cutter = page.getByRole('dialog', { name: 'Crop view', exact: true });
  await drawer.getByRole('button', { name: 'Crop' }).click();
  await cutter.getByText('320 × 240 pixels').waitFor();
  await cutter.getByText('1:1', { exact: true }).click();
  await cutter.getByText('300 × 300 pixels').waitFor();
  expect(await violations(page)).toEqual([]);
  await cutter.getByRole('button', { name: 'Save as a new file' }).click();
  const part = page.getByRole('dialog', { name: 'view cropped' }).getByRole('img', { name: 'view cropped' });
  await expect.poll(() => part.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300);
  expect(await part.evaluate((image: HTMLImageElement) => image.naturalHeight)).toBe(300);
  await page.getByRole('dialog', { name: 'view cropped' }).getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: /^view(?! cropped)/ }).click();
  const asset = await page.waitForURL(/file=/).then(() => new URL(page.url()).searchParams.get('file')!);
  const flow = await flowWith(asset);
  await page.reload();
  await drawer.getByRole('link', { name: 'With a picture' }).waitFor();
  await drawer.getByRole('button', { name: 'Crop' }).click();
  await cutter.getByText('320 × 240 pixels').waitFor();
  await cutter.getByLabel('Right edge: arrow keys move it').press('ArrowLeft');
  await cutter.getByText(/^31\d × 240 pixels$/).waitFor();
  await cutter.getByRole('button', { name: 'Save and replace everywhere' }).click();
  await drawer.getByText('view cropped stands in 1 draft now. Publish to show it.').waitFor();
  const { flow: now } = await server.ask<{ flow: { draft: unknown } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
    id: flow,
  });
  expect(JSON.stringify(now.draft)).not.toContain(asset);
});

test('branding is changed, kept until it is saved, and is what the server has', async () => {
  await page.goto(addressOf('branding'));
  await page.getByRole('button', { name: 'Add color' }).click();
  await page.getByRole('textbox', { name: 'Name of the color' }).last().fill('Leaf');
  await page.getByRole('textbox', { name: 'Color of Leaf, as hex code' }).fill('#12AB34');
  await page.getByRole('button', { name: 'Add gradient' }).click();
  await page.getByRole('textbox', { name: 'Name of the gradient' }).last().fill('Dusk');
  await page.getByRole('button', { name: 'Add stop' }).last().click();
  await page.getByRole('button', { name: 'Add font' }).click();
  await page.getByRole('textbox', { name: 'Name of the font' }).last().fill('Grow');
  await page
    .locator('input[type=file][accept*=woff2]')
    .last()
    .setInputFiles({ name: 'Grow-BoldItalic.ttf', mimeType: 'font/ttf', buffer: readFileSync(font()) });
  const sample = page.getByText('Grow something new').last();
  await expect.poll(() => sample.evaluate((words) => getComputedStyle(words).fontFamily)).toMatch(/^library-/);
  await page.locator('input[type=file][accept*="image/png"]').setInputFiles(file('icon.svg', svg('teal')));
  await page.getByRole('img', { name: 'App icon' }).waitFor();
  await page.getByRole('textbox', { name: 'Color of Leaf, as hex code' }).fill('green');
  await page.getByRole('button', { name: 'Save branding' }).click();
  await page.getByRole('alert').filter({ hasText: 'This was refused' }).waitFor();
  await page.getByRole('textbox', { name: 'Color of Leaf, as hex code' }).fill('#12AB34');
  await page.getByRole('button', { name: 'Save branding' }).click();
  await page.getByRole('button', { name: 'Save branding' }).waitFor({ state: 'detached' });
  const { app } = await server.ask<{ app: { branding: unknown } }>('query ($app: ID!) { app(id: $app) { branding } }', {
    app: server.apps[0]!.id,
  });
  const { colorPresets, gradientPresets, fontFamilies, appIcon } = app.branding as Record<string, object[]>;
  expect(colorPresets!.at(-1)).toMatchObject({ name: 'Leaf', value: '#12AB34' });
  expect(gradientPresets!.at(-1)).toMatchObject({ name: 'Dusk', type: 'linear', angle: 180 });
  expect((gradientPresets!.at(-1) as { stops: object[] }).stops.length).toBe(3);
  expect(fontFamilies!.at(-1)).toMatchObject({
    name: 'Grow',
    styles: [{ weight: 700, italic: true, filename: 'Grow-BoldItalic.ttf' }],
  });
  expect(appIcon).toMatchObject({ source: 'upload' });
  await page.reload();
  await expect.poll(() => page.getByRole('textbox', { name: 'Name of the color' }).last().inputValue()).toBe('Leaf');
});

test('everybody can use media and branding', async () => {
  expect(await barriers(page, ['media', 'media?type=font', 'branding'].map(addressOf))).toEqual([]);
});

/** A flow whose draft shows an asset. */
async function flowWith(asset: string): Promise<string> {
  const { app } = await server.ask<{ app: { flows: { nodes: { id: string; name: string; draft: unknown }[] } } }>(
    'query ($app: ID!) { app(id: $app) { flows(first: 1) { nodes { id name draft } } } }',
    { app: server.apps[0]!.id },
  );
  const { createFlow } = await server.ask<{ createFlow: { id: string; draftRevision: number; draft: object } }>(
    'mutation ($app: ID!) { createFlow(input: {appId: $app, name: "With a picture"}) { id draftRevision draft } }',
    { app: server.apps[0]!.id },
  );
  const [first] = app.flows.nodes;
  // The draft of another flow, so that it is one, with the asset as a background.
  const draft = JSON.parse(JSON.stringify(first!.draft)) as { screens: { background?: object }[] };
  draft.screens[0]!.background = { fill: { kind: 'image', media: { mediaAssetId: asset } } };
  await server.ask(
    'mutation ($flow: ID!, $revision: Int!, $draft: JSON!) { saveDraft(input: {flowId: $flow, revision: $revision, draft: $draft}) { flow { id } } }',
    { flow: createFlow.id, revision: createFlow.draftRevision, draft },
  );
  return createFlow.id;
}

/** A font file: one that a package of the tests brings. */
function font(): string {
  const assets = join(
    dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')),
    'lib/vite/recorder/assets',
  );
  return join(assets, readdirSync(assets).find((name) => name.endsWith('.ttf'))!);
}
