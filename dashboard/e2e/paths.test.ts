import { expect, test } from 'vitest';
import { open, page, suite } from './suite';

suite();

const node = (name: RegExp) => page.getByRole('button', { name });
const parameter = (name: string) => new URL(page.url()).searchParams.get(name);

test('arrows move between nodes, Enter opens the menu of one, and makes it the anchor', async () => {
  await open('paths?kind=page&name=/');
  const anchor = node(/^Page \/, anchor: /);
  await anchor.focus();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await page.keyboard.press('ArrowRight');
  await expect.poll(focused).toMatch(/, step 2: /);
  const first = await focused();
  await page.keyboard.press('ArrowDown');
  await expect.poll(focused).not.toBe(first);
  await page.keyboard.press('ArrowUp');
  await expect.poll(focused).toBe(first);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(focused).toMatch(/^Page \/, anchor: /);
  await page.keyboard.press('ArrowRight');
  const name = /^Page (.+), step 2/.exec((await focused())!)![1]!;
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Show paths to here' }).press('Enter');
  await page.getByRole('heading', { name: `Paths to ${name}` }).waitFor();
  expect([parameter('kind'), parameter('name'), parameter('direction')]).toEqual(['page', name, 'before']);
});

test('names that match a pattern become one node', async () => {
  await open('paths?kind=page&name=/');
  await node(/^Page \/plants, step 2/).waitFor();
  await page.getByRole('button', { name: 'Group names' }).click();
  await page.getByLabel('Patterns, one per line').fill('/plants**\n\n/blog/*\n');
  await page.getByRole('button', { name: 'Apply' }).click();
  await node(/^Page \/plants\*\*, step 2/).waitFor();
  expect(new URL(page.url()).searchParams.getAll('group')).toEqual(['/plants**', '/blog/*']);
  expect(await node(/^Page \/plants\/.*, step/).count()).toBe(0);
  await node(/^Page \/plants\*\*, step 2/).click();
  await page.getByRole('menuitem', { name: 'Show paths from here' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Filter by this' }).count()).toBe(0); // no filter says so
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: 'Groups: 2' }).waitFor();
});

test('a node filters sessions, and its visitors are saved as a segment', async () => {
  await open('paths?kind=page&name=/');
  const pricing = node(/^Page \/pricing, step 2/);
  await pricing.click();
  // A menu that is open when another answer comes is of the same node, though it has another place there.
  const label = await pricing.getAttribute('aria-label');
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/graphql', async (route) => {
    await asked;
    await route.continue();
  });
  await page.getByRole('menuitem', { name: 'Filter by this' }).click();
  await page.getByRole('list', { name: 'Filters' }).getByText('/pricing').waitFor();
  await pricing.click();
  answer();
  await expect.poll(() => pricing.getAttribute('aria-label')).not.toBe(label);
  await page.unroute('**/graphql');
  await page.getByRole('menuitem', { name: 'Save visitors as segment…' }).click();
  const form = page.getByRole('dialog', { name: 'New segment' });
  const name = form.getByRole('textbox', { name: 'Name' });
  expect(await name.inputValue()).toBe('/pricing');
  await name.fill('Saw the prices');
  await form.getByRole('button', { name: 'Create segment' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'All users' }).click();
  await page.getByText('Saw the prices').waitFor();
});

test('a link is saved as a segment, and the path to a node as a funnel', async () => {
  await open('paths?kind=page&name=/');
  await node(/^Page .+, step 3/)
    .first()
    .click();
  await page.getByText('Save visitors who came from').waitFor();
  const from = page.getByRole('menuitem').last();
  const came = (await from.locator('bdi').textContent())!;
  await from.click();
  const form = page.getByRole('dialog', { name: 'New segment' });
  expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toContain(`${came} → `);
  const meaning = form.getByRole('note', { name: 'Meaning' });
  await expect
    .poll(() => meaning.textContent())
    .toMatch(/^Users with a session on the path \/ → .+ \(step 2\) → .+\.$/);
  await form.getByText(/the report counts sessions and the segment their users/).waitFor();
  await expect.poll(() => form.getByRole('status').textContent()).toMatch(/^[1-9][\d,]*users? now$/);
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await node(/^Page \/pricing, step 2/).click();
  await page.getByRole('menuitem', { name: 'Create funnel of this path…' }).click();
  const funnel = page.getByRole('dialog', { name: 'Add funnel' });
  const name = funnel.getByRole('textbox', { name: 'Name', exact: true });
  await expect.poll(() => name.inputValue()).toBe('Viewed / → Viewed /pricing');
  await funnel.getByRole('button', { name: 'Add funnel' }).click();
  await page.waitForURL(/\/funnels\?.*funnel=/);
  await page.getByRole('heading', { name: 'Viewed / → Viewed /pricing' }).waitFor();
  await page.getByText('Sessions, each by itself').waitFor();
});

test('an anchor that nothing shows says so, and another is typed', async () => {
  await open('paths?kind=page&name=/nowhere');
  await page.getByText('No session in this period has this anchor.', { exact: false }).waitFor();
  await page.getByRole('combobox', { name: 'Anchor', exact: true }).fill('/pricing');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Paths from /pricing' }).waitFor();
});

test('ways are downloaded as CSV', async () => {
  await open('paths?kind=page&name=/');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('paths.csv');
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  expect(text).toMatch(/^Step,From kind,From,To kind,To,Sessions\r\n1,Page,\/,Page,/);
  expect(text).toMatch(/\r\n1,Page,\/,,\(none\),\d+\r\n/);
});
