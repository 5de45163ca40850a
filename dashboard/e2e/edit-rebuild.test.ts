import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bare, type Manifest, visit } from './rebuild/manifest';
import { Rebuilder } from './rebuild/Rebuilder';
import { open, page, server, suite } from './suite';
import { settled } from './visitor';

suite();

/** The examples, with what the editor leaves to JSON of each. The larger ones take minutes more: they are for
 * the night. */
const examples = [
  { example: 'paywall-flow', left: [] },
  { example: 'linear-onboarding', left: [], nightly: true },
  { example: 'branching-onboarding', left: [], nightly: true },
];
const isNight = process.env.E2E_EDITING_SECONDS !== undefined;

for (const { example, left, nightly } of examples)
  test.skipIf(nightly && !isNight)(
    `all of ${example} is rebuilt from a blank flow by what the editor offers`,
    { timeout: 1_800_000 },
    async () => {
      const manifest = read(example);
      const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
        'mutation ($app: ID!, $name: String!) { createFlow(input: {appId: $app, name: $name}) { id } }',
        { app: server.apps[0]!.id, name: `Rebuilt ${example}` },
      );
      const draft = async () =>
        (
          await server.ask<{ flow: { draft: Manifest } }>('query ($id: ID!) { flow(id: $id) { draft } }', {
            id: createFlow.id,
          })
        ).flow.draft;
      await open(`flows/${createFlow.id}/edit`);
      await settled(page);
      const began = Date.now();
      const rebuilder = new Rebuilder(page, draft);
      const target = await rebuilder.flow(manifest);
      const { byControl, asJson } = rebuilder.side;
      const layers = count(manifest, ({ kind, id }) => kind !== undefined && String(id).startsWith('lyr_'));
      console.log(
        `${example}: ${manifest.screens.length} screens, ${layers} layers rebuilt in ${Math.round((Date.now() - began) / 1000)} s: ` +
          `${byControl} properties by controls, ${asJson.length} as JSON: ${asJson.join(', ')}`,
      );
      expect(bare(await draft())).toEqual(bare(target));
      expect(asJson).toEqual(left);
    },
  );

function read(example: string): Manifest {
  return JSON.parse(readFileSync(new URL(`../../manifest/examples/${example}.json`, import.meta.url), 'utf8'));
}

function count(manifest: Manifest, is: (object: Manifest) => boolean): number {
  let found = 0;
  visit(manifest, (object) => {
    if (is(object as Manifest)) found++;
  });
  return found;
}
