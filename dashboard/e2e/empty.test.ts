import { expect, test } from 'vitest';
import { askAs } from './people';
import { page, server, suite, visitor } from './suite';
import { settled } from './visitor';

suite();

/** What pages of reports say of an app that has sent nothing, and the next step that they offer. */
const said: Record<string, [title: string, next: string]> = {
  live: ['No events yet', 'Connect your app'],
  acquisition: ['No events yet', 'Connect your app'],
  engagement: ['No events yet', 'Connect your app'],
  events: ['No events yet', 'Connect your app'],
  goals: ['No goals yet', 'Add goal'],
  funnels: ['No funnels yet', 'Add funnel'],
  paths: ['No events yet', 'Connect your app'],
  retention: ['No events yet', 'Connect your app'],
  locations: ['No events yet', 'Connect your app'],
  devices: ['No events yet', 'Connect your app'],
  visitors: ['No events yet', 'Connect your app'],
  people: ['No identified users yet', 'View visitors'],
  revenue: ['No revenue in this period', 'Connect a billing provider'],
  health: ['No events in this period', 'Send your first event'],
};

test('an app without data is told so once on every page of reports, with the next step and without a chart', async () => {
  type Workspaces = { viewer: { workspaces: { nodes: { workspace: { id: string } }[] } } };
  const { data } = await askAs<Workspaces>(visitor, '{ viewer { workspaces { nodes { workspace { id } } } } }');
  const made = await askAs<{ createApp: { id: string } }>(
    visitor,
    'mutation ($w: ID!) { createApp(input: {workspaceId: $w, name: "Empty"}) { id } }',
    { w: data.viewer.workspaces.nodes[0]!.workspace.id },
  );
  for (const [report, [title, next]] of Object.entries(said)) {
    await page.goto(`${server.baseUrl}/apps/${made.data.createApp.id}/live/${report}`);
    const main = page.getByRole('main');
    await main.locator('strong').getByText(title, { exact: true }).waitFor();
    await settled(page);
    const found = [
      await main.locator('strong').getByText(title, { exact: true }).count(),
      await main
        .getByRole('link', { name: next })
        .or(main.getByRole('button', { name: next }))
        .count(),
      await main.locator('svg[role=img]').count(),
    ];
    expect([report, ...found]).toEqual([report, 1, 1, 0]);
  }
});
