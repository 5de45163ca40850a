import { expect, test } from 'vitest';
import { daysAgo, flowCalled, open, page, past, server, suite } from './suite';

suite();

/** The words of a screen's layers in a language: of a region the language itself, and the default's where there are none. */
function textsOf(layer: unknown, locale: string): string[] {
  if (typeof layer !== 'object' || layer === null) return [];
  if ('default' in layer && typeof layer.default === 'string') {
    const translations = ('translations' in layer ? layer.translations : {}) as Record<string, string>;
    return [translations[locale] ?? translations[locale.split('-')[0]!] ?? layer.default];
  }
  return Object.values(layer).flatMap((child) => textsOf(child, locale));
}
const without = (texts: string[], others: string[]) => texts.filter((text) => !others.includes(text));

test('a run is replayed in the version that it went through, with what was chosen', async () => {
  const flow = await flowCalled('Welcome');
  await open(`flows/${flow}?range=28d`);
  const row = page.getByRole('button', { name: /Completed/ }).first();
  await row.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('completed the flow').waitFor();
  const id = new URL(page.url()).searchParams.get('run');
  const { flowAnalytics } = await server.ask<{
    flowAnalytics: {
      run: {
        run: { path: { stepId: string }[]; versionId: string; locale: string };
        hits: { name: string; properties: { value?: string } | null }[];
      };
    };
  }>(
    `query ($flow: ID!, $id: String!) { flowAnalytics(scope: { flowId: $flow }) { run(id: $id) {
      run { path { stepId } versionId locale } hits { name properties } } } }`,
    { flow, id },
  );
  const { run, hits } = flowAnalytics.run;
  const { flowVersion } = await server.ask<{ flowVersion: { manifest: { screens: { id: string }[] } } }>(
    `query ($id: ID!) { flowVersion(id: $id) { manifest } }`,
    { id: run.versionId },
  );
  const [first, second] = run.path.map(({ stepId }) =>
    textsOf(
      flowVersion.manifest.screens.find(({ id }) => id === stepId),
      run.locale,
    ),
  ) as [string[], string[]];
  expect(await dialog.locator('ol > li').count()).toBe(run.path.length);
  const chosen = hits.filter(({ name }) => name === 'choice_selected').map(({ properties }) => properties!.value);
  expect(await dialog.locator('ol ul li', { hasText: 'chose' }).allTextContents()).toEqual(
    chosen.map((value) => `chose ${value}`),
  );
  const screen = page.frameLocator('iframe[title^="Screen "]').locator('body');
  const drawn = async (texts: string[]) => {
    const lines = (await screen.innerText()).split('\n').map((line) => line.trim());
    return texts.filter((text) => lines.includes(text));
  };
  const [onlyFirst, onlySecond] = [without(first, second), without(second, first)];
  await expect.poll(() => drawn(onlyFirst)).not.toEqual([]);
  expect(await drawn(onlySecond)).toEqual([]);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText(`2 of ${run.path.length}`).waitFor();
  await expect.poll(() => drawn(onlySecond)).not.toEqual([]);
  expect(await drawn(onlyFirst)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => row.evaluate((row) => row === document.activeElement)).toBe(true);
});

test('the picture of a flow has its steps with the runs that the API says', async () => {
  const flow = await flowCalled('Welcome');
  const range = { start: `${daysAgo(10)}T00:00:00Z`, end: `${daysAgo(0)}T00:00:00Z` };
  const { flowAnalytics } = await server.ask<{
    flowAnalytics: { funnel: { steps: { id: string; name: string; reach: number; drop: number }[] } };
  }>(
    `query ($scope: FlowAnalyticsScope!) { flowAnalytics(scope: $scope) { funnel { steps { id name reach drop } } } }`,
    {
      scope: { flowId: flow, timeZone: 'UTC', range },
    },
  );
  await open(`flows/${flow}?${past()}`);
  const picture = page.getByRole('region', { name: 'Funnel diagram' });
  await picture.locator('g').first().waitFor();
  const said = await picture.locator('g > title').allTextContents();
  const count = (value: number) => value.toLocaleString('en-US');
  expect(said.toSorted()).toEqual(
    flowAnalytics.funnel.steps
      .filter(({ reach }) => reach > 0)
      .map(({ id, name, reach, drop }) => `${name || id}: ${count(reach)} runs, ${count(drop)} dropped off here`)
      .toSorted(),
  );
  expect(await picture.locator('path').count()).toBeGreaterThan(said.length - 1);
  const screen = picture.locator('iframe').first();
  await screen.scrollIntoViewIfNeeded();
  await expect.poll(() => screen.contentFrame().locator('body').innerText()).toMatch(/\w/);
});
