import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { canonical } from '../src/editor/document/canonical';
import type { Json } from '../src/editor/document/operation';
import { Rebuilder } from './rebuild';
import { open, page, server, suite } from './suite';
import { settled } from './visitor';

suite();

type Screen = Parameters<Rebuilder['screen']>[0];
type Draft = { screens: Screen[] };

/** Layers as they are compared: without ids, and without styles that nothing is set in any more. */
const bare = (value: Json): string => {
  const isEmpty = (inner: unknown) => JSON.stringify(inner) === '{}';
  const left = (name: string, inner: unknown) =>
    name === 'id' || (name === 'style' && isEmpty(inner)) ? undefined : inner;
  return canonical(JSON.parse(JSON.stringify(value, left)) as Json);
};

const screensOf = (example: string): Screen[] => {
  const manifest = new URL(`../../manifest/examples/${example}.json`, import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as Draft).screens;
};

test('all screens of a paywall flow, and a question, are rebuilt from a blank flow by what the editor offers', async () => {
  const chosen = [
    ...screensOf('paywall-flow'),
    ...screensOf('linear-onboarding').filter(({ name }) => name === 'Your name'),
  ];
  expect(chosen).toHaveLength(5);
  const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
    'mutation ($app: ID!) { createFlow(input: {appId: $app, name: "Rebuilt"}) { id } }',
    { app: server.apps[0]!.id },
  );
  const draft = async () =>
    (
      await server.ask<{ flow: { draft: Draft } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
        id: createFlow.id,
      })
    ).flow.draft;
  await open(`flows/${createFlow.id}/edit`);
  await settled(page);
  const rebuilder = new Rebuilder(page, draft);
  for (const screen of chosen) await rebuilder.screen(screen);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  console.log(
    `${chosen.length} screens rebuilt: ${rebuilder.byControl} properties by controls, ${rebuilder.asJson.length} as JSON: ${rebuilder.asJson.join(', ')}`,
  );
  const built = (await draft()).screens;
  // Where screens lead is drawn in the graph, of which this flow has another.
  const own = ({ regions, containerStyle = null, containerStyleBreakpoints = null }: Screen) =>
    JSON.parse(bare({ regions, containerStyle, containerStyleBreakpoints }));
  for (const [at, screen] of chosen.entries())
    expect([screen.name, own(built[at]!)]).toEqual([screen.name, own(screen)]);
});
