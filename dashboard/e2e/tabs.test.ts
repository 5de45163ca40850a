import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addressOf, enter, page, server, suite, visitor } from './suite';

suite();

/** Streams that are open, by the page that reads each. */
function streamsOf(pages: readonly Page[]): () => Page[] {
  const open = new Map<object, Page>();
  for (const page of pages) {
    page.on('request', (request) => {
      if (request.headers().accept === 'text/event-stream') open.set(request, page);
    });
    page.on('requestfailed', (request) => void open.delete(request));
    page.on('requestfinished', (request) => void open.delete(request));
    page.on('close', () => {
      for (const [request, reader] of open) if (reader === page) open.delete(request);
    });
  }
  return () => [...open.values()];
}

const count = /^\d+ visitors? online now$/;

test('eight tabs share one stream, and the next one reads it when its reader goes', async () => {
  const tabs = await Promise.all(Array.from({ length: 8 }, () => visitor.context.newPage()));
  const streams = streamsOf(tabs);
  for (const tab of tabs) await tab.goto(addressOf('live'));
  for (const tab of tabs) await tab.getByText(count).waitFor({ timeout: 20_000 });
  expect(streams().length).toBe(1);

  // No tab hangs: each can still ask.
  await Promise.all(
    tabs.map(async (tab) => {
      const answered = await tab.evaluate(async () => (await fetch('/graphql?query={__typename}')).status);
      expect(answered).toBe(200);
    }),
  );

  const [reader] = streams();
  await reader!.close();
  const left = tabs.filter((tab) => tab !== reader);
  await expect.poll(() => streams().length, { timeout: 10_000 }).toBe(1);
  expect(left).toContain(streams()[0]);

  // Another environment is another stream, and nobody is told what is not theirs.
  const [other] = left.filter((tab) => tab !== streams()[0]);
  await other!.goto(addressOf('live').replace('/live/live', '/test/live'));
  await other!.getByText('No events yet').waitFor({ timeout: 20_000 });
  await expect.poll(() => streams().length).toBe(2);
  await other!.getByText('0 visitors online now').waitFor();

  // More subscriptions than connections take turns.
  const [third] = left.filter((tab) => !streams().includes(tab));
  await third!.goto(addressOf('live?platform=web'));
  await third!.getByText(count).waitFor({ timeout: 20_000 });
  expect(streams().length).toBeLessThanOrEqual(2);
  await other!.reload();
  await other!.getByText('0 visitors online now').waitFor({ timeout: 20_000 });
});

test('who signs out in one tab is signed out in all, and nothing is read any more', async () => {
  const other = await visitor.context.newPage();
  const streams = streamsOf([page, other]);
  for (const tab of [page, other]) {
    await tab.goto(addressOf('live'));
    await tab.getByText(count).waitFor();
  }
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/sign-in/);
  await other.waitForURL(/\/sign-in/);
  await expect.poll(() => streams().length).toBe(0);
  await enter();
  expect(page.url()).toContain(server.baseUrl);
});
