import { expect, test } from 'vitest';
import { Effort } from './effort';
import { somebody } from './people';
import { addressOf, flowCalled, open, page, server, suite, visitor } from './suite';
import { settled, violations } from './visitor';

suite();

const pictures = process.env.E2E_PICTURES;

async function draftOf(flow: string): Promise<string> {
  const answer = await server.ask<{ flow: { draft: object } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
    id: flow,
  });
  return JSON.stringify(answer.flow.draft);
}

const count = (text: string, part: string) => text.split(part).length - 1;
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const region = () => page.getByRole('region', { name: 'Data', exact: true });
const keyOf = (name: string) => region().getByRole('textbox', { name: `Key of ${name}`, exact: true });
const rowOf = (name: string) =>
  region()
    .getByRole('row')
    .filter({ has: page.getByRole('textbox', { name: `Key of ${name}`, exact: true }) });

/** Writes another key where one stands. */
async function rewrite(name: string, to: string) {
  await keyOf(name).fill(to);
  await page.keyboard.press('Enter');
}

test('a field and an option are renamed wherever they are used, by one undo each', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit`);
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  const before = await draftOf(flow);
  expect(count(before, '"fieldKey":"goal"')).toBeGreaterThan(2);
  expect(before).toContain('{{goal}}');
  const effort = new Effort(page);
  await effort.key('4');
  await effort.click(keyOf('Goal'));
  await effort.key('ControlOrMeta+a');
  await effort.type('plan_goal');
  await effort.key('Enter');
  await keyOf('Plan goal').waitFor();
  await saved();
  effort.took('rename a field wherever it is used', 5);
  const after = await draftOf(flow);
  expect(count(after, '"fieldKey":"plan_goal"')).toBe(count(before, '"fieldKey":"goal"'));
  expect(after).toContain('{{plan_goal}}');
  expect(after).not.toContain('"fieldKey":"goal"');
  expect(await keyOf('Plan goal').evaluate((input) => input === document.activeElement)).toBe(true);

  await rowOf('Plan goal').getByRole('button', { name: 'One option of 4: Plan goal' }).click();
  await rewrite('the option Rescue one that struggles', 'revive');
  await saved();
  const renamed = await draftOf(flow);
  expect(count(renamed, '"optionId":"revive"')).toBe(count(after, '"optionId":"rescue"'));
  expect(renamed).not.toContain('"optionId":"rescue"');
  await page.getByRole('button', { name: 'Undo: Rename the option rescue to revive' }).click();
  await page.getByRole('button', { name: 'Undo: Rename the field goal to plan_goal' }).click();
  await keyOf('Goal').waitFor();
  await saved();
  expect(JSON.parse(await draftOf(flow))).toEqual({ ...JSON.parse(before), version: expect.anything() });
});

test('what a value is used in leads there, and a key that is taken is refused', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit?mode=data`);
  await rewrite('Goal', 'habit');
  await page.getByRole('alert').getByText('already in use').waitFor();
  await expect.poll(() => keyOf('Goal').inputValue()).toBe('goal');
  await region().getByRole('textbox', { name: 'Search data' }).fill('first_name');
  await expect
    .poll(() =>
      region()
        .getByRole('textbox', { name: /^Key of/ })
        .count(),
    )
    .toBe(1);
  await rowOf('First name')
    .getByRole('button', { name: /^Reminders › A tap/ })
    .click();
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('mode'), searchParams.get('layer')]).toEqual([null, expect.stringMatching(/^lyr_/)]);
  await page.keyboard.press('4');
  await rowOf('Goal').getByRole('button', { name: 'Answered the questions' }).first().click();
  await page.getByRole('region', { name: 'Graph' }).waitFor();
  expect(new URL(page.url()).searchParams.get('mode')).toBe('graph');
});

test('an attribute is listed, renamed and taken off the list', async () => {
  const flow = await flowCalled('Reminders');
  await open(`flows/${flow}/edit?mode=data`);
  await region().getByRole('textbox', { name: 'Add an attribute' }).fill('plan');
  await page.keyboard.press('Enter');
  await rewrite('Plan', 'tier');
  await saved();
  expect(JSON.parse(await draftOf(flow)).sdkAttributeKeys).toContain('tier');
  await rowOf('Tier').hover();
  await settled(page);
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [1920, 'dark'],
    [390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await settled(page);
    expect([width, colorScheme, await violations(page)]).toEqual([width, colorScheme, []]);
    if (pictures) await page.screenshot({ path: `${pictures}/data-${width}-${colorScheme}.png` });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await region().getByRole('button', { name: 'Remove tier' }).click();
  await keyOf('Tier').waitFor({ state: 'detached' });
  await saved();
});

test('who may not edit reads the data', async () => {
  const { page: at } = await somebody(visitor, 'VIEWER');
  await at.goto(addressOf(`flows/${await flowCalled('Welcome')}/edit?mode=data`));
  const goal = at.getByRole('textbox', { name: 'Key of Goal', exact: true });
  await goal.waitFor();
  expect(await goal.isEditable()).toBe(false);
  expect(await at.getByRole('textbox', { name: 'Add an attribute' }).count()).toBe(0);
});

test('screens are drawn for a size that somebody types, which the browser keeps', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}/edit`);
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  const device = page.getByRole('combobox', { name: 'Device', exact: true });
  const side = (name: string) => page.getByRole('textbox', { name: `${name} of the screens` });
  const drawn = () =>
    page
      .frameLocator('iframe[title="Screens of the flow"]')
      .locator('[data-place]')
      .first()
      .evaluate(({ style }) => [style.width, style.height].join());
  const choose = async () => {
    await device.click();
    await page.getByRole('option', { name: 'Own size' }).click();
  };
  await choose();
  expect([await side('Width').inputValue(), await side('Height').inputValue()]).toEqual(['390', '844']);
  await side('Width').fill('500 + 12');
  await side('Height').fill('9999');
  await side('Height').press('Enter');
  await expect.poll(() => side('Width').inputValue()).toBe('512');
  await expect.poll(() => side('Height').inputValue()).toBe('4096');
  await side('Height').fill('700');
  await side('Height').press('Enter');
  await expect.poll(drawn).toBe('512px,700px');
  await settled(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
    if (pictures) await page.screenshot({ path: `${pictures}/own-size-${colorScheme}.png` });
  }
  await page.reload();
  await page.getByRole('application', { name: 'Canvas' }).waitFor();
  await choose();
  expect([await side('Width').inputValue(), await side('Height').inputValue()]).toEqual(['512', '700']);
});
