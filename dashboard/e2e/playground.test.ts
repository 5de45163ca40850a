import { expect, test } from 'vitest';
import { open, page, past, sendAsApp, server, suite } from './suite';
import { violations } from './visitor';

suite();

test('the playground runs what a report asked, completes by the schema and keeps what ran', async () => {
  await open(`acquisition?${past()}`);
  await page.getByRole('button', { name: 'Explain Channel', exact: true }).click();
  await page.getByRole('link', { name: 'Open in the playground' }).click();
  await page.waitForURL(/\/playground#query=/);
  await page.getByRole('button', { name: 'Run ⌘↵' }).click();
  await page.getByText(/^Answered in/).waitFor();
  const answer = page.getByRole('textbox', { name: 'Answer' });
  await expect.poll(() => answer.textContent()).toContain('"totalCount"'); // what is in sight
  const query = page.getByRole('textbox', { name: 'Query' });
  await query.click();
  await query.press('Control+a');
  await query.press('Delete');
  await query.pressSequentially('query Me { viewer { ema');
  await query.press('Control+Space');
  await page
    .getByRole('option', { name: /^email/ })
    .first()
    .click();
  await expect.poll(() => query.textContent()).toContain('email');
  await query.press('Control+Enter');
  await expect.poll(() => answer.textContent()).toContain(server.admin.email);
  await page.reload();
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('menuitem', { name: /^Acquisition/ }).waitFor();
});

test('the playground shows a subscription as it comes, and is readable in both schemes', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${server.baseUrl}/playground`);
    await page.getByRole('button', { name: 'Examples' }).click();
    await page.getByRole('menuitem', { name: /^Live visitors/ }).click();
    await page.getByRole('button', { name: 'Run ⌘↵' }).click();
    const answers = page.getByRole('list', { name: 'Answers, the newest first' }).getByRole('listitem');
    await expect.poll(() => answers.first().textContent()).toContain('"live"');
    // Somebody comes: another answer, in front of the one before.
    await sendAsApp('analytics/events', {
      events: [
        {
          eventId: `live-${colorScheme}`,
          name: 'page_view',
          page: '/live',
          appUserId: `live-${colorScheme}`,
          sessionId: 's',
        },
      ],
    });
    await expect.poll(() => answers.count()).toBeGreaterThan(1);
    const number = async (i: number) => Number(/Answer (\d+)/.exec((await answers.nth(i).textContent())!)![1]);
    expect(await number(0)).toBe((await number(1)) + 1);
    await page.getByRole('button', { name: 'Pause' }).click();
    const held = await answers.count();
    await sendAsApp('analytics/events', {
      events: [
        {
          eventId: `more-${colorScheme}`,
          name: 'page_view',
          page: '/more',
          appUserId: `more-${colorScheme}`,
          sessionId: 's',
        },
      ],
    });
    await page.getByText(/more came since/).waitFor();
    expect(await answers.count()).toBe(held);
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(() => answers.count()).toBeGreaterThan(held);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page
      .getByRole('status')
      .getByText(/Stopped\.$/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
  }
});
