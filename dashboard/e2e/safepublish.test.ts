import { expect, test } from 'vitest';
import { open, server, suite, visitor } from './suite';

suite();

test('a new version on a channel is compared with the one before it, and goes back in one click', async () => {
  const { page } = visitor;
  const { createFlow, createChannel } = await server.ask<Record<'createFlow' | 'createChannel', { id: string }>>(
    `mutation ($app: ID!) {
      createFlow(input: {appId: $app, name: "Watched", template: {id: "permission-primers"}}) { id }
      createChannel(input: {appId: $app, environment: LIVE, name: "Watched"}) { id }
    }`,
    { app: server.apps[0]!.id },
  );
  const publish = async () => {
    const { publishFlow } = await server.ask<{ publishFlow: { version: { id: string } } }>(
      `mutation ($flow: ID!) { publishFlow(input: {id: $flow}) { version { id } } }`,
      { flow: createFlow.id },
    );
    await server.ask(
      `mutation ($id: ChannelID!, $version: ID!) { pinChannel(input: {id: $id, versionId: $version}) { channel { id } } }`,
      { id: createChannel.id, version: publishFlow.version.id },
    );
  };
  const settings = async () => {
    const { channel } = await server.ask<{ channel: { automaticReturn: boolean; version: { number: number } } }>(
      `query ($id: ChannelID!) { channel(id: $id) { automaticReturn version { number } } }`,
      { id: createChannel.id },
    );
    return channel;
  };
  await publish();
  await open(`channels?channel=${createChannel.id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('heading', { name: 'Safe publish' }).waitFor();
  await drawer.getByRole('switch', { name: 'Go back by itself' }).click();
  await expect.poll(async () => (await settings()).automaticReturn).toBe(true);
  await expect.poll(() => drawer.getByRole('switch', { name: 'Go back by itself' }).isChecked()).toBe(true);
  expect(await drawer.getByRole('heading', { name: 'compared with' }).count()).toBe(0);

  await publish();
  await open(`flows/${createFlow.id}/versions`);
  const watch = page.getByRole('region', { name: 'v2 compared with v1' });
  await watch.getByText('v1 had 0 runs in the two weeks before: too few to compare with.').waitFor();
  await watch.getByRole('button', { name: 'Go back to v1' }).click();
  await watch.waitFor({ state: 'detached' });
  expect((await settings()).version.number).toBe(1);
});
