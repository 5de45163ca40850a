import { expect, test } from 'vitest';
import { somebody } from './people';
import { addressOf, flowCalled, open, page, server, suite, visitor } from './suite';

suite();

type Box = { x: number; y: number; width: number; height: number };

const canvas = () => page.getByRole('application', { name: 'Canvas' });
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const layer = () => new URL(page.url()).searchParams.get('layer');
const svg = (color: string, inner = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="${color}"/>${inner}</svg>`;

/** `data` is a data: URL. */
type Given = { name: string; type: string; text?: string; size?: number; data?: string };

/** Pastes files, or drops them at a point of the canvas, as the system does. */
async function give(files: readonly Given[], at?: { x: number; y: number }) {
  await page.evaluate(
    ({ files, at }) => {
      const data = new DataTransfer();
      for (const { name, type, text = '', size, data: url } of files) {
        const bytes = url && Uint8Array.from(atob(url.split(',')[1]!), (one) => one.charCodeAt(0));
        const content = bytes || (size ? new Uint8Array(size) : text);
        data.items.add(new File([content], name, { type }));
      }
      const stage = document.querySelector('[aria-label="Canvas"]')!;
      const init = { bubbles: true, cancelable: true };
      if (!at) return document.body.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
      const place = { clientX: at.x, clientY: at.y };
      for (const type of ['dragover', 'drop'])
        stage.dispatchEvent(new DragEvent(type, { ...init, ...place, dataTransfer: data }));
      return true;
    },
    { files, at },
  );
}

type Screen = { id: string; regions: object; containerStyle?: object };

async function screenOf(flow: string, id: string): Promise<Screen> {
  const query = 'query ($id: ID!) { flow(id: $id) { draft } }';
  const answer = await server.ask<{ flow: { draft: { screens: Screen[] } } }>(query, { id: flow });
  return answer.flow.draft.screens.find((one) => one.id === id)!;
}

async function layersOf(flow: string): Promise<Record<string, { name?: string; media?: { mediaAssetId: string } }>> {
  const answer = await server.ask<{ flow: { draft: unknown } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
    id: flow,
  });
  const found: Record<string, object> = {};
  JSON.stringify(answer.flow.draft, (_, value) => {
    if (value?.kind && value.id) found[value.id] = value;
    return value;
  });
  return found;
}

test('an image that is pasted becomes a layer, and another takes its place while it is selected', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_welcome`);
  await canvas().waitFor();
  const [first, second] = ['#123456', '#654321'].map((color) => ({ type: 'image/svg+xml', text: svg(color) }));
  await give([{ name: 'Leaf.svg', ...first! }]);
  await page.getByRole('button', { name: 'Undo: Add “Leaf”' }).waitFor();
  await saved();
  const id = layer()!;
  const before = (await layersOf(flow))[id]!;
  expect(before).toMatchObject({ kind: 'image', name: 'Leaf' });
  await give([{ name: 'Other.svg', ...second! }]);
  await page.getByRole('button', { name: 'Undo: Change the media of “Leaf”' }).waitFor();
  await saved();
  const after = (await layersOf(flow))[id]!;
  expect(after.media!.mediaAssetId).not.toBe(before.media!.mediaAssetId);
  expect(layer()).toBe(id);
});

/** A picture of one color, as the clipboard has it. */
const png = (width: number, height: number) =>
  page.evaluate(
    ([width, height]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      canvas.getContext('2d')!.fillRect(0, 0, width!, height!);
      return canvas.toDataURL();
    },
    [width, height],
  );

test('a screenshot that is pasted onto a screen is its background, another picture is a layer', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_goal`);
  await canvas().waitFor();
  const before = await screenOf(flow, 'scr_goal');
  const undo = page.getByRole('button', { name: /^Undo: Change the background of “/ });
  await give([{ name: 'image.png', type: 'image/png', data: await png(780, 1688) }]);
  await undo.waitFor();
  await saved();
  const after = await screenOf(flow, 'scr_goal');
  const fill = { kind: 'image', fit: 'cover', media: { mediaAssetId: expect.any(String) } };
  expect(after.containerStyle).toEqual({ ...before.containerStyle, backgroundFill: fill });
  expect(after.regions).toEqual(before.regions);
  const shown = page.frameLocator('iframe[title="Screens of the flow"]').locator('[data-place="scr_goal"]');
  await shown.locator('img[src*="/media/"], [style*="/media/"]').first().waitFor();
  await undo.click();
  await saved();
  expect(await screenOf(flow, 'scr_goal')).toEqual(before);
  expect(layer()).toBeNull();
  await give([{ name: 'image.png', type: 'image/png', data: await png(800, 600) }]);
  await page.getByRole('button', { name: 'Undo: Add “image”' }).waitFor();
  await page.getByRole('button', { name: 'Undo: Add “image”' }).click();
  await saved();
});

test('files that are dropped stand where they are dropped, those that the library does not take are named', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?screen=scr_welcome`);
  await canvas().waitFor();
  const shown = page.frameLocator('iframe[title="Screens of the flow"]').locator('[data-place="scr_welcome"]');
  const frame = (await canvas().boundingBox())!;
  const boxOf = async (of: string): Promise<Box> => {
    const locator = shown.locator(of).first();
    await locator.waitFor();
    return locator.evaluate((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return { x, y, width, height };
    });
  };
  const image = await boxOf('img');
  const middle = { x: frame.x + image.x + image.width / 2, y: frame.y + image.y + image.height / 2 };
  await give([{ name: 'Sill.svg', type: 'image/svg+xml', text: svg('#00ff00') }], middle);
  await page.getByRole('button', { name: /^Undo: Change the media of/ }).waitFor();
  await saved();
  await give(
    [
      { name: 'notes.txt', type: 'text/plain', text: 'no' },
      { name: 'huge.png', type: 'image/png', text: '', size: 6_000_000 },
      { name: 'broken.png', type: 'image/png', text: 'no picture' },
      { name: 'Evil.svg', type: 'image/svg+xml', text: svg('#0000ff', '<script>alert(1)</script>') },
      { name: 'Fine.svg', type: 'image/svg+xml', text: svg('#0000aa') },
    ],
    middle,
  );
  const alert = page.getByRole('alert');
  await alert.getByText(/notes\.txt is none of/).waitFor();
  const said = (await alert.textContent())!;
  expect(said).toMatch(/huge\.png has 6 MB/);
  expect(said).toMatch(/broken\.png: /);
  await saved();
  expect(Object.values(await layersOf(flow)).flatMap((one) => one.name ?? [])).not.toContain('broken');
});

test('who may not edit drops nothing', async () => {
  const { page: at } = await somebody(visitor, 'VIEWER');
  await at.goto(addressOf(`flows/${await flowCalled('Welcome')}/edit`));
  await at.getByRole('application', { name: 'Canvas' }).waitFor();
  const taken = await at.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'x.svg'));
    const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data });
    return !document.querySelector('[aria-label="Canvas"]')!.dispatchEvent(event);
  });
  expect(taken).toBe(false);
});
