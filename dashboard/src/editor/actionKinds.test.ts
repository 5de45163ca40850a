import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import shape from '../../../manifest/shape/shape.json';
import { actionKinds, actionOf, aroundOf } from './actionKinds';
import { layersBeside } from './document/commands/actions';
import { nodeOf, open } from './document/document';

type Schema = { $ref?: string; properties?: Record<string, { const?: string }>; required?: string[] };
const types = shape.types as unknown as Record<string, Schema & { oneOf?: Schema[] }>;
const schemas = new Map(
  types
    .ButtonAction!.oneOf!.map(({ $ref }) => types[$ref!.slice(8)]!)
    .map((one) => [one.properties!.kind!.const!, one]),
);

const document = open(
  JSON.parse(readFileSync(new URL('../../../manifest/examples/all-layers.json', import.meta.url), 'utf8')),
);
const [player] = (document.flow.screens as { id: string }[]).flatMap(({ id }) =>
  layersBeside(document, id, ['lottie']).map((one) => one.id),
);

test('every action that the manifest has is offered, with what it needs and nothing else', () => {
  expect(Object.keys(actionKinds).toSorted()).toEqual([...schemas.keys()].toSorted());
  const around = aroundOf(document, player!);
  expect(around.players.length).toBeGreaterThan(0);
  const carousels = [{ id: 'lyr_pages', name: 'Pages' }];
  for (const [kind, { properties = {}, required = [] }] of schemas) {
    const action = actionOf(kind, { ...around, carousels }, undefined)!;
    expect(action.kind).toBe(kind);
    expect(Object.keys(action), kind).toEqual(expect.arrayContaining(required));
    for (const name of Object.keys(action)) expect(Object.keys(properties), kind).toContain(name);
  }
});

test('an action leads to a step that is there, and to where it led before', () => {
  const around = aroundOf(document, player!);
  const to = actionOf('go_to_step', around, undefined)!.screenId as string;
  expect(nodeOf(document, to)).toBeDefined();
  expect(actionOf('go_to_step', around, { kind: 'go_back_one_screen', fallbackScreenId: 'scr_x' })!.screenId).toBe(
    'scr_x',
  );
  expect(actionOf('go_to_step', { ...around, next: undefined }, undefined)).toBeUndefined();
  expect(actionOf('play_media', { ...around, players: [] }, undefined)).toBeUndefined();
  expect(actionOf('advance_carousel', { ...around, carousels: [] }, undefined)).toBeUndefined();
  expect(actionOf('unheard_of', around, undefined)).toBeUndefined();
});
