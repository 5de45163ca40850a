import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eachNode, isLayer, nodeOf, open } from '../document/document';
import { rowsOf } from './rows';

const document = open(
  JSON.parse(readFileSync(new URL('../../../../manifest/examples/all-layers.json', import.meta.url), 'utf8')),
);
const screens = (document.flow.screens as { id: string }[]).map(({ id }) => id);

test('every layer of a screen has a row, under the one that it stands in', () => {
  for (const screen of screens) {
    const rows = rowsOf(document, screen, new Set());
    const layers: string[] = [];
    eachNode(nodeOf(document, screen)!, ({ id, kind }) => isLayer(kind) && layers.push(id));
    expect(rows.map(({ id }) => id).sort()).toEqual(layers.sort());
    for (const [at, { node, level }] of rows.entries()) {
      const above = rows.slice(0, at).findLast((row) => row.level < level);
      expect(above?.id).toBe(level === 1 ? undefined : node.parent!.id);
    }
    expect(rows.filter(({ level }) => level === 1).map(({ node }) => node.slot)).toEqual(
      ['header', 'body', 'footer'].filter((slot) => rows.some(({ node }) => node.slot === slot)),
    );
  }
});

test('what is closed keeps its row and hides those in it', () => {
  const all = rowsOf(document, screens[0]!, new Set());
  const closed = all.find(({ hasChildren, level }) => hasChildren && level === 1)!;
  const rows = rowsOf(document, screens[0]!, new Set([closed.id]));
  const at = all.indexOf(closed);
  const next = all.findIndex((row, i) => i > at && row.level <= closed.level);
  expect(rows.length).toBe(all.length - ((next < 0 ? all.length : next) - at - 1));
  expect(rows[at]).toMatchObject({ id: closed.id, open: false, hasChildren: true });
});

test('options stand in the order of their bindings', () => {
  const stack = (id: string) => ({ id, kind: 'stack', direction: 'vertical', children: [] });
  const choice = {
    id: 'lyr_c',
    kind: 'single_choice',
    children: [stack('lyr_a'), stack('lyr_b'), stack('lyr_stray')],
    optionBindings: [
      { optionId: 'b', rootLayerId: 'lyr_b' },
      { optionId: 'a', rootLayerId: 'lyr_a' },
    ],
  };
  const flow = open({ screens: [{ id: 'scr_a', regions: { body: { ...stack('lyr_body'), children: [choice] } } }] });
  expect(rowsOf(flow, 'scr_a', new Set()).map(({ id }) => id)).toEqual([
    'lyr_body',
    'lyr_c',
    'lyr_b',
    'lyr_a',
    'lyr_stray',
  ]);
});

test('a search finds layers by name and kind, with what they stand in', () => {
  const stack = (id: string, name: string, children: object[]) => ({
    ...{ id, kind: 'stack', direction: 'vertical', name, children },
  });
  const text = (id: string, words: string) => ({ id, kind: 'text', text: { default: words } });
  const card = stack('lyr_card', 'Card', [text('lyr_a', 'Monthly'), text('lyr_b', 'Yearly price')]);
  const body = stack('lyr_body', '', [card, text('lyr_c', 'Restore')]);
  const flow = open({ screens: [{ id: 'scr_a', regions: { body } }] } as never);
  const found = (words: string, closed: string[] = []) =>
    rowsOf(flow, 'scr_a', new Set(closed), words).map(({ id }) => id);
  expect(found(' PRICE ')).toEqual(['lyr_body', 'lyr_card', 'lyr_b']);
  // What is closed is gone into.
  expect(found('price', ['lyr_card'])).toEqual(['lyr_body', 'lyr_card', 'lyr_b']);
  expect(found('text')).toEqual(['lyr_body', 'lyr_card', 'lyr_a', 'lyr_b', 'lyr_c']);
  expect(found('card')).toEqual(['lyr_body', 'lyr_card']);
  expect(found('nowhere')).toEqual([]);
});
