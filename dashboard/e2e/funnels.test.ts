import { expect, test } from 'vitest';
import { addressOf, another, enter, open, page, suite } from './suite';
import { violations } from './visitor';

suite();

const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
const dialog = (name: string) => page.getByRole('dialog', { name });
const step = (form: ReturnType<typeof dialog>, name: string) => form.getByRole('group', { name });

async function choose(form: ReturnType<typeof dialog>, label: string, option: string) {
  await form.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('the steps of a funnel are the answer of the API', async () => {
  type Report = { data: { app: { productAnalytics: { funnel: { steps: { name: string; entered: number }[] } } } } };
  const [response] = await Promise.all([
    page.waitForResponse(
      (response) =>
        (response.request().postDataJSON() as { operationName?: string } | null)?.operationName === 'Funnel',
    ),
    open('funnels?funnel=nothing&compare=none'),
  ]);
  const { steps } = ((await response.json()) as Report).data.app.productAnalytics.funnel;
  await page.getByRole('heading', { name: 'Website to first plant' }).waitFor(); // the first by name
  expect(steps.length).toBeGreaterThan(2);
  const shown = page.getByRole('listitem').filter({ hasText: 'of previous' });
  await expect.poll(() => shown.count()).toBe(steps.length);
  for (const [i, { name, entered }] of steps.entries()) {
    expect(await shown.nth(i).locator('bdi').textContent()).toBe(name);
    expect(await shown.nth(i).locator('[title]').first().getAttribute('title')).toBe(entered.toLocaleString('en-US'));
  }
});

test('Escape in a changed form of a funnel asks before changes are lost', async () => {
  await open('funnels');
  await page.getByRole('button', { name: 'Add funnel' }).click();
  const form = dialog('Add funnel');
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Half written');
  const question = dialog('Close without saving?');
  await page.keyboard.press('Escape');
  await question.waitFor();
  await page.keyboard.press('Escape'); // of the question: the form stays
  await question.waitFor({ state: 'detached' });
  expect(await form.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Half written');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add funnel' }).click();
  await form.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
  await page.keyboard.press('Escape'); // nothing is written: nothing is asked
  await form.waitFor({ state: 'detached' });
});

test('a funnel is added by keys, changed, and deleted', async () => {
  await open('funnels');
  await page.getByRole('button', { name: 'Add funnel' }).focus();
  await page.keyboard.press('Enter');
  const form = dialog('Add funnel');
  await step(form, 'Step 1').getByLabel('Kind of step 1').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('option', { name: 'Page', exact: true }).waitFor();
  for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key); // from event to page
  await step(form, 'Step 1').getByLabel('Page is').focus();
  await page.keyboard.type('/pricing');
  await page.keyboard.press('Tab');
  expect(await step(form, 'Step 1').getByLabel('Step name').inputValue()).toBe('Viewed /pricing');
  await choose(form, 'Kind of step 2', 'Goal');
  await choose(form, 'Goal is', 'First plant');
  const name = form.getByRole('textbox', { name: 'Name', exact: true });
  expect(await name.inputValue()).toBe('Viewed /pricing → First plant');
  await name.focus();
  await page.keyboard.press('Enter');
  await form.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Viewed /pricing → First plant' }).waitFor();
  await page.getByText('Visitors, within 7 days of the first step').waitFor();
  const id = parameter('funnel');
  await page.getByRole('button', { name: 'Edit funnel' }).click();
  const edit = dialog('Edit funnel');
  await edit.getByRole('button', { name: 'Add step' }).click();
  await step(edit, 'Step 3').getByLabel('Event is').fill('plant_watered');
  await step(edit, 'Step 3').getByRole('button', { name: 'Move step 3 up' }).click();
  expect(await step(edit, 'Step 2').getByLabel('Event is').inputValue()).toBe('plant_watered');
  await step(edit, 'Step 3').getByRole('button', { name: 'Remove step 3' }).click();
  await edit.getByRole('textbox', { name: 'Window' }).fill('100');
  await edit.getByText('From 1 minute to 90 days').waitFor();
  expect(await edit.getByRole('button', { name: 'Save funnel' }).isDisabled()).toBe(true);
  await edit.getByText('Sessions', { exact: true }).click();
  await edit.getByLabel('Strict order').check();
  await edit.getByRole('button', { name: 'Add exclusion' }).click();
  await step(edit, 'Exclusion 1').getByLabel('Event is').fill('signed_out');
  await edit.getByRole('textbox', { name: 'Name', exact: true }).fill('Another');
  await edit.getByRole('button', { name: 'Save funnel' }).click();
  await edit.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Another' }).waitFor();
  await page
    .getByText('Sessions, each by itself, in strict order, without “Event is signed_out” between two steps')
    .waitFor();
  expect(parameter('funnel')).toBe(id);
  await page.getByRole('button', { name: 'Edit funnel' }).click();
  await edit.getByRole('button', { name: 'Delete…' }).click();
  await edit.getByRole('button', { name: 'Delete for all members' }).click();
  await edit.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Another' }).waitFor({ state: 'detached' });
  expect(parameter('funnel')).toBeNull();
});

test('a suggestion fills the form, and what the server refuses is said in it', async () => {
  await open('funnels');
  await page.getByRole('button', { name: 'Add funnel' }).click();
  const form = dialog('Add funnel');
  await form
    .getByRole('button', { name: /^Viewed .+ → / })
    .first()
    .click();
  expect(await step(form, 'Step 1').getByLabel(/ is$/).inputValue()).not.toBe('');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Welcome to purchase');
  await form.getByRole('button', { name: 'Add funnel' }).click();
  await form.getByText(/is that of another funnel/).waitFor();
});

test('another funnel is chosen by keys, and broken down', async () => {
  await open('funnels');
  const link = page.getByRole('link', { name: /^Welcome to purchase/ });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Welcome to purchase' }).waitFor();
  expect(await link.getAttribute('aria-current')).toBe('page');
  await page.getByRole('combobox', { name: 'Break down by' }).click();
  await page.getByRole('option', { name: 'Country' }).click();
  await page.getByRole('row', { name: /Germany/ }).waitFor();
  expect(parameter('split')).toBe('COUNTRY');
});

test('who dropped off is listed, with their profiles', async () => {
  await open('funnels?range=28d');
  const lost = page.getByRole('button', { name: / dropped off$/ }).first();
  const count = Number.parseInt((await lost.textContent())!.replace(/\D/g, ''), 10);
  expect(count).toBeGreaterThan(0);
  await lost.focus();
  await page.keyboard.press('Enter');
  const list = dialog('Dropped off after Home page');
  const links = list.getByRole('link');
  await expect.poll(() => links.count()).toBe(Math.min(50, count));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await links.first().click();
  await page.waitForURL(/\/people\/person\?device=/);
});

test('who dropped off is a segment that counts as many', async () => {
  await open('funnels?range=28d&zone=UTC');
  const lost = page.getByRole('button', { name: / dropped off$/ }).first();
  const count = Number.parseInt((await lost.textContent())!.replace(/\D/g, ''), 10);
  await page.getByRole('button', { name: 'Save who dropped off after Home page as segment' }).click();
  const form = dialog('New segment');
  expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Dropped off after Home page');
  await expect.poll(() => form.getByRole('status').textContent()).toBe(`${count.toLocaleString('en-US')}users now`);
  await form.getByText(/^Users who dropped off after “Home page” of the funnel .+ in the last 28 days\.$/).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
  }
  await form.getByRole('button', { name: 'Create segment' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'All users' }).click();
  await page.getByText('Dropped off after Home page').waitFor();
});

test('steps and rows are downloaded as CSV', async () => {
  await open('funnels');
  for (const [place, file, head] of [
    [
      0,
      'funnel.csv',
      /^Step,Name,Entered,Of previous,Of first,Median seconds,P90 seconds,Dropped,Open\r\n1,.+,\d+,,1,,/,
    ],
    [1, 'funnel-breakdown.csv', /^Channel,Entered,Converted,Conversion rate,Open\r\n/],
  ] as const) {
    const button = page.getByRole('button', { name: 'CSV' });
    await expect.poll(() => button.count()).toBe(2);
    const [download] = await Promise.all([page.waitForEvent('download'), button.nth(place).click()]);
    expect(download.suggestedFilename()).toBe(file);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(head);
  }
});

test('on a phone nothing is wider than the page, and a period without anybody says so', async () => {
  const phone = await another({ viewport: { width: 390, height: 844 } });
  await enter(phone.page);
  await phone.page.goto(addressOf('funnels'));
  await phone.page.getByText('of previous').first().waitFor();
  const width = await phone.page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await phone.page.goto(addressOf('funnels?f=is,country,XX'));
  await phone.page.getByText('No visitor of this period and these filters met the first step.').waitFor();
});
