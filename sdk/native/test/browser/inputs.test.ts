import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { FlowManifest } from '@svc/core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { at, mount, useBrowser } from './browser';

const file = fileURLToPath(new URL('../../../../manifest/examples/all-layers.json', import.meta.url));
const manifest = JSON.parse(readFileSync(file, 'utf8')) as FlowManifest;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The screens with an input or a sign-in. */
const SCREENS = manifest.screens.map(({ id }) => id).slice(2, 13);

const shown = (page: Page, id: string) => page.waitForSelector(at(id));
const tap = (page: Page, id: string) => page.tap(at(id));
const named = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Turns a wheel by whole items, as a finger would. */
async function turn(page: Page, name: string, y: number): Promise<void> {
  await page.getByRole('slider', { name }).hover();
  await page.mouse.wheel(0, y);
}

describe('inputs under a finger', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });

  it('take every answer of the all-layers example', async () => {
    const page = await open();
    await mount(page, manifest, { screenId: 'scr_al_choice', strict: false });
    await page.getByRole('radio', { name: 'Shade' }).tap();

    await shown(page, 'scr_al_multi');
    const go = page.locator(at('lyr_al_mu_go'));
    expect(await go.evaluate((button) => getComputedStyle(button).opacity)).toBe('0.5');
    for (const id of ['option-x', 'option-z', 'lyr_al_ck', 'lyr_al_mu_go']) await tap(page, id);

    await shown(page, 'scr_al_text');
    await page.fill('textarea', '  two\nlines ');
    await tap(page, 'lyr_al_text_go');

    await shown(page, 'scr_al_scale');
    const slider = page.getByRole('slider');
    const track = await slider.boundingBox();
    if (!track) throw new Error('the slider has no place');
    const middle = track.y + track.height / 2;
    await page.mouse.move(track.x + track.width / 2, middle);
    await page.mouse.down();
    await page.mouse.move(track.x + track.width * 0.8, middle + 4, { steps: 4 });
    await slider.and(page.locator('[aria-valuetext="0.75"]')).waitFor();
    // A finger that leaves the track still drags the thumb.
    await page.mouse.move(track.x + track.width + 30, middle + 60, { steps: 4 });
    await page.mouse.up();
    await slider.and(page.locator('[aria-valuetext="1"]')).waitFor();
    await tap(page, 'lyr_al_scale_go');

    await shown(page, 'scr_al_wheel');
    await turn(page, 'Month', 3 * 44);
    await page.getByRole('slider', { name: 'Month' }).and(page.locator('[aria-valuetext="August"]')).waitFor();
    await tap(page, 'lyr_al_wheel_go');

    await shown(page, 'scr_al_date');
    await named(page, 'Date and time').tap();
    await page.getByText('Done').waitFor();
    await page.getByRole('slider', { name: 'Day' }).getByText('11', { exact: true }).click();
    await page.getByRole('slider', { name: 'Day' }).and(page.locator('[aria-valuetext="11"]')).waitFor();
    await named(page, 'Done').tap();
    await tap(page, 'lyr_al_date_go');

    await shown(page, 'scr_al_step');
    await named(page, 'Increase').tap();
    await tap(page, 'lyr_al_step_go');

    await shown(page, 'scr_al_phone');
    await named(page, 'Country').tap();
    await page.getByLabel('Search').fill('germ');
    await page.getByRole('radio', { name: 'Germany +49' }).tap();
    await page.getByLabel('Phone').fill('030 1234567');
    await tap(page, 'lyr_al_phone_go');

    await shown(page, 'scr_al_addr');
    const address = { Address: ' 1 Main St ', City: 'Springfield', 'Postal code': '12345' };
    for (const [label, value] of Object.entries(address)) await page.getByLabel(label, { exact: true }).fill(value);
    await named(page, 'Country').tap();
    await page.getByLabel('Search').fill('Canada');
    await page.getByRole('radio', { name: 'Canada' }).tap();
    await tap(page, 'lyr_al_addr_go');

    await shown(page, 'scr_al_oauth');
    await named(page, 'Sign in with Google').tap();
    await page.getByRole('alert').filter({ hasText: 'did not work' }).waitFor();
    await tap(page, 'lyr_al_oa_go');

    await shown(page, 'scr_al_mail');
    await page.getByLabel('Email').fill('ana@example.com');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await tap(page, 'lyr_al_ep_s');
    await page.getByRole('alert').filter({ hasText: 'at least 10' }).waitFor();

    const responses = await page.evaluate(() => window.state.responses);
    expect(responses).toMatchObject({
      al_single: { kind: 'choice', choiceId: 'b' },
      al_many: { kind: 'multiChoice', choiceIds: ['x', 'z'] },
      al_terms: { kind: 'checkbox', value: true },
      al_note: { kind: 'text', value: '  two\nlines ' },
      al_scale: { kind: 'scale', value: 1 },
      al_month: { kind: 'wheel', value: '08' },
      al_visit: { kind: 'date_time', value: expect.stringMatching(/^20\d\d-\d\d-11T\d\d:\d\d$/) },
      al_amount: { kind: 'number_stepper', value: 1.5 },
      al_phone: { kind: 'phone', value: '+49301234567', countryCode: 'DE' },
      al_address: { kind: 'address', value: { line1: '1 Main St', city: 'Springfield', country: 'CA' } },
    });
    expect(JSON.stringify(responses)).not.toContain('short');
  }, 90_000);

  it('have no accessibility violation, in either palette', async () => {
    const page = await open();
    await page.addScriptTag({ path: AXE });
    const found: string[] = [];
    for (const theme of ['light', 'dark'] as const) {
      for (const screenId of SCREENS) {
        await mount(page, manifest, { screenId, theme });
        const violations = await page.evaluate(async () => {
          const axe = (window as unknown as { axe: { run(root: Element, options: object): Promise<never> } }).axe;
          const root = document.getElementById('root') as Element;
          // Colors are the author's, and whoever embeds the flow gives the page its landmarks and its heading.
          // React Native names what a field is for in words of its own.
          const off = ['color-contrast', 'region', 'autocomplete-valid'];
          const rules = Object.fromEntries(off.map((rule) => [rule, { enabled: false }]));
          const result: { violations: { id: string; nodes: { html: string }[] }[] } = await axe.run(root, { rules });
          return result.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html.slice(0, 160)}`);
        });
        found.push(...violations.map((violation) => `${theme} ${screenId} ${violation}`));
      }
    }
    expect(found).toEqual([]);
  }, 90_000);
});
