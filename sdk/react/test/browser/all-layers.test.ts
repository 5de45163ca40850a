import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { exampleManifest } from '../support/manifests';
import { violations } from './accessibility';
import { layer, mount, PICTURE, useBrowser } from './browser';

const manifest = exampleManifest('all-layers');
const mediaMap = { '11111111-1111-4111-8111-111111111101': PICTURE };

const shown = (page: Page, id: string) => page.waitForSelector(`[data-screen="${id}"]`);
const press = (page: Page, id: string) => page.click(layer(id));

describe('the all-layers example', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });

  it('can be walked through by hand to its end, with every answer', async () => {
    const page = await open();
    await mount(page, manifest, { mediaMap });
    await press(page, 'lyr_al_go');

    await shown(page, 'scr_al_feedback');
    await press(page, 'lyr_al_nx');
    await press(page, 'lyr_al_nx');
    await press(page, 'lyr_al_nx');

    await shown(page, 'scr_al_choice');
    await page.getByRole('radio', { name: 'Shade' }).click();

    await shown(page, 'scr_al_multi');
    expect(await page.getAttribute(layer('lyr_al_mu_go'), 'aria-disabled')).toBe('true');
    const boxes = page.locator('[data-option]');
    await boxes.nth(0).click();
    await boxes.nth(2).click();
    await page.locator('button[role=checkbox]').click();
    await press(page, 'lyr_al_mu_go');

    await shown(page, 'scr_al_text');
    await page.fill('textarea', '  two\nlines ');
    await press(page, 'lyr_al_text_go');

    await shown(page, 'scr_al_scale');
    await page.locator('input[type=range]').focus();
    await page.keyboard.press('End');
    await press(page, 'lyr_al_scale_go');

    await shown(page, 'scr_al_wheel');
    await page.getByRole('listbox').focus();
    await page.keyboard.press('ArrowDown');
    await press(page, 'lyr_al_wheel_go');

    await shown(page, 'scr_al_date');
    await page.fill('input[type=datetime-local]', '2026-03-04T05:06');
    await press(page, 'lyr_al_date_go');

    await shown(page, 'scr_al_step');
    await page.getByRole('button', { name: 'Increase' }).click();
    await press(page, 'lyr_al_step_go');

    await shown(page, 'scr_al_phone');
    await page.selectOption('select', 'DE');
    await page.fill('input[type=tel]', '030 1234567');
    await press(page, 'lyr_al_phone_go');

    await shown(page, 'scr_al_addr');
    const address = { Address: ' 1 Main St ', City: 'Springfield', 'Postal code': '12345' };
    for (const [label, value] of Object.entries(address)) await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByLabel('Country').selectOption('CA');
    await press(page, 'lyr_al_addr_go');

    await shown(page, 'scr_al_oauth');
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await page.getByRole('alert').filter({ hasText: 'did not work' }).waitFor();
    await press(page, 'lyr_al_oa_go');

    await shown(page, 'scr_al_mail');
    await press(page, 'lyr_al_ep_bk');
    await shown(page, 'scr_al_oauth');
    await press(page, 'lyr_al_oa_go');
    await shown(page, 'scr_al_mail');
    await page.getByLabel('Email').fill('ana@example.com');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await press(page, 'lyr_al_ep_s');
    await page.getByRole('alert').filter({ hasText: 'at least 10' }).waitFor();

    await page.evaluate(() => window.seen.responses.splice(0));
    const { responses, history } = await page.evaluate(() => ({
      responses: window.state.responses as unknown as Record<string, unknown>,
      history: window.state.history,
    }));
    expect(history.at(-1)).toBe('scr_al_mail');
    expect(responses).toMatchObject({
      al_single: { kind: 'choice', choiceId: 'b' },
      al_many: { kind: 'multiChoice' },
      al_terms: { kind: 'checkbox', value: true },
    });
    const values = Object.values(responses) as { kind: string; value?: unknown }[];
    const answered = (kind: string) => values.find((response) => response.kind === kind)?.value;
    expect(answered('text')).toBe('  two\nlines ');
    expect(answered('date_time')).toBe('2026-03-04T05:06');
    expect(answered('phone')).toBe('+49301234567');
    expect(answered('address')).toMatchObject({ line1: '1 Main St', city: 'Springfield', country: 'CA' });
    expect(JSON.stringify(responses)).not.toContain('short');
  }, 60_000);

  it('ends through permission, review and end buttons', async () => {
    const page = await open();
    await mount(page, manifest, { screenId: 'scr_al_system', customProperties: { first_name: 'Ana' } });
    await page.getByText('Hello Ana').waitFor();
    await press(page, 'lyr_al_perm');
    await shown(page, 'scr_al_last');
    await press(page, 'lyr_al_end');
    expect(await page.textContent('#ended')).toBe('completed');
    expect(await page.evaluate(() => window.seen.actions)).toEqual(['request_os_permission', 'end_flow']);

    await mount(page, manifest, { screenId: 'scr_al_system' });
    await press(page, 'lyr_al_rev');
    await shown(page, 'scr_al_last');
    expect(await page.evaluate(() => window.seen.responses)).toEqual([
      { kind: 'app_review_outcome', layerId: 'lyr_al_rev', outcome: 'not_shown' },
    ]);
  });

  it('has no accessibility violation on any screen, in either palette', async () => {
    const page = await open();
    const found: string[] = [];
    for (const theme of ['light', 'dark'] as const) {
      for (const { id } of manifest.screens) {
        await mount(page, manifest, { screenId: id, theme, mediaMap });
        found.push(...(await violations(page)).map((violation) => `${theme} ${id} ${violation}`));
      }
    }
    expect(found).toEqual([]);
  }, 60_000);

  it('mirrors in Arabic and answers conditions on the locale', async () => {
    const page = await open();
    await mount(page, manifest, { screenId: 'scr_al_feedback', locale: 'ar_EG' });
    expect(await page.getAttribute('[data-screen]', 'dir')).toBe('rtl');
    const icon = await page.locator(layer('lyr_al_bk_i')).boundingBox();
    const words = await page.locator(layer('lyr_al_bk_t')).boundingBox();
    expect(icon?.x).toBeGreaterThan(words?.x ?? 0);
    await mount(page, manifest, { screenId: 'scr_al_system', locale: 'ar' });
    await page.getByText('أهلا وسهلا').waitFor();
  });
});
