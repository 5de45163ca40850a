import { expect, test } from 'vitest';
import { flowCalled, open, page, server, suite } from './suite';
import { violations } from './visitor';

suite();

type Layer = { id: string; restingMotions?: object[] };
type Screen = { id: string; animations?: object[]; regions: Record<string, Layer & { children: Layer[] }> };

const side = () => page.getByRole('complementary', { name: 'Properties' });
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

async function screenOf(flow: string): Promise<Screen> {
  const { flow: is } = await server.ask<{ flow: { draft: { screens: Screen[] } } }>(
    'query ($id: ID!) { flow(id: $id) { draft } }',
    { id: flow },
  );
  return is.draft.screens.find(({ id }) => id === 'scr_goal')!;
}

/** What the server has when all is sent. */
async function stored(flow: string): Promise<Screen> {
  await saved();
  return screenOf(flow);
}

test('layers get motions, screens animations, headers and footers, by controls', async () => {
  const flow = await flowCalled('Welcome');
  const before = await screenOf(flow);
  await open(`flows/${flow}/edit?screen=scr_goal`);
  await side().locator('summary', { hasText: 'Motion' }).click();
  await side().getByRole('button', { name: 'Animation', exact: true }).click();
  const clip = side().getByRole('group', { name: 'animation 4' });
  await clip.getByLabel('Plays').selectOption('In turn');
  await clip.getByLabel('Duration, ms').fill('300+300');
  await page.keyboard.press('Enter');
  await clip.getByRole('button', { name: 'Change', exact: true }).click();
  const track = clip.getByRole('group', { name: 'Sideways, px of animation 4' });
  await track.getByLabel('Changes').selectOption('Up and down, px');
  const moved = clip.getByRole('group', { name: 'Up and down, px of animation 4' });
  await moved.getByRole('button', { name: 'Value between' }).click();
  await moved.getByLabel('At, % of the time').fill('40');
  await moved.getByLabel('Value 2', { exact: true }).fill('-4');
  await page.keyboard.press('Enter');
  await moved.getByRole('button', { name: 'Easing after value 2: Linear' }).click();
  await page.getByRole('radio', { name: 'Ease in out' }).check();
  await page.keyboard.press('Escape');
  expect(await violations(page)).toEqual([]);
  const made = await stored(flow);
  expect(made.animations!.slice(3)).toMatchObject([
    {
      trigger: 'stagger',
      staggerIndex: 3,
      durationMs: 600,
      delayMs: 0,
      tracks: [
        { property: 'opacity' },
        {
          property: 'translateY',
          keyframes: [
            { t: 0, value: 24, easing: 'ease-out' },
            { t: 0.4, value: -4, easing: 'ease-in-out' },
            { t: 1, value: 0 },
          ],
        },
      ],
    },
  ]);
  for (const region of ['Header', 'Footer']) {
    const had = before.regions[region.toLowerCase()] !== undefined;
    await side().getByLabel(region, { exact: true }).setChecked(!had);
    expect((await stored(flow)).regions[region.toLowerCase()] === undefined).toBe(had);
    await side().getByLabel(region, { exact: true }).setChecked(had);
  }

  const layer = before.regions.body!.children[0]!;
  await open(`flows/${flow}/edit?screen=scr_goal&layer=${layer.id}`);
  await side().locator('summary', { hasText: 'Motion' }).click();
  await side().getByRole('button', { name: 'Motion', exact: true }).click();
  const motion = side().getByRole('listitem', { name: 'Motion 1: pulse' });
  await motion.getByLabel('Least opacity').fill('.4');
  await page.keyboard.press('Enter');
  await motion.getByLabel('Moves').selectOption('Rotate');
  const rotates = side().getByRole('listitem', { name: 'Motion 1: rotate' });
  expect(await rotates.getByLabel('Swings back').isChecked()).toBe(true);
  await rotates.getByLabel('Swings back').uncheck();
  await rotates.getByRole('button', { name: 'Reset Least opacity' }).click();
  expect(await rotates.getByLabel('Least opacity').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  const moving = (await stored(flow)).regions.body!.children[0]!;
  expect(moving.restingMotions).toMatchObject([{ preset: 'rotate', loop: true, rotateSpringBack: false }]);
  await rotates.getByRole('button', { name: 'Remove Motion 1: rotate' }).click();
  expect((await stored(flow)).regions.body!.children[0]).toEqual(layer);
});

test('the playhead shows moments of the motion on the canvas, plays, and leaves the draft as it is', async () => {
  const flow = await flowCalled('Welcome');
  const before = await screenOf(flow);
  await open(`flows/${flow}/edit?screen=scr_goal`);
  await side().locator('summary', { hasText: 'Motion' }).click();
  const title = page.frameLocator('iframe[title="Screens of the flow"]').locator('[data-layer="lyr_goal_title"]');
  const opacity = () => title.evaluate((one) => Number(getComputedStyle(one).opacity));
  const playhead = side().getByRole('slider', { name: 'Moment that the canvas shows' });
  const moment = page.getByRole('application', { name: 'Canvas' }).getByText(/ · \d+ ms$/);
  expect(await playhead.getAttribute('aria-valuetext')).toBe('At rest');
  expect(await opacity()).toBe(1);
  await playhead.focus();
  await page.keyboard.press('Home');
  await expect.poll(opacity).toBe(0);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => moment.textContent()).toMatch(/ · 10 ms$/);
  expect(await opacity()).toBeGreaterThan(0);
  const box = (await playhead.boundingBox())!;
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await expect.poll(opacity).toBeGreaterThan(0.5);
  await page.mouse.up();
  expect(await violations(page)).toEqual([]);
  await side().getByRole('button', { name: 'Play the animations' }).click();
  await moment.waitFor({ state: 'detached' });
  expect(await opacity()).toBe(1);

  // As users who ask for less motion see it: all is where it comes to.
  await playhead.focus();
  await page.keyboard.press('Home');
  await expect.poll(opacity).toBe(0);
  await side().getByLabel('Show with reduced motion').check();
  await expect.poll(opacity).toBe(1);
  expect(await violations(page)).toEqual([]);
  if (process.env.E2E_PICTURES) await page.screenshot({ path: `${process.env.E2E_PICTURES}/motion.png` });
  await side().getByLabel('Show with reduced motion').uncheck();
  await expect.poll(opacity).toBe(0);
  await page.keyboard.press('Escape');

  // Who asks for less motion sees moments, and nothing that moves.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await side().getByRole('button', { name: 'Play the animations' }).click();
  await page.getByText('Your system asks for less motion.').first().waitFor();
  await playhead.focus();
  await page.keyboard.press('Home');
  await expect.poll(opacity).toBe(0);

  // Another screen is seen at rest, and so is this one when it is seen again.
  await page.locator('[data-screen="scr_symptoms"]').click();
  await expect.poll(opacity).toBe(1);
  expect(await screenOf(flow)).toEqual(before);
  expect(await page.getByRole('button', { name: /^Undo/ }).isDisabled()).toBe(true);
});
