import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonical, isObject } from '../document/canonical';
import { type Document, eachNode, type Flow, type Found, nodeOf, open, slotsOf } from '../document/document';
import { Editor } from '../document/editor';
import type { Json, JsonObject } from '../document/operation';
import { runAny } from '../document/TestCommands';
import { Random, small } from '../document/TestRandom';
import { type Change, compareFlows, covers } from './changes';
import { longestRising } from './placed';

const examples = new URL('../../../../manifest/examples/', import.meta.url);
const drafts: Record<string, Flow> = { small };
for (const name of readdirSync(examples).filter((one) => one.endsWith('.json')))
  drafts[name] = JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as Flow;

const all = (before: Flow, after: Flow): Change[] => compareFlows(before, after)!.flatMap(({ changes }) => changes);

describe.each(Object.entries(drafts))('%s', (_, draft) => {
  test('random edits: equal drafts have no changes, and every value that is different is told, once', () => {
    expect(all(draft, structuredClone(draft))).toEqual([]);
    for (let seed = 0; seed < 20; seed++) {
      let made = 0;
      const editor = Editor.open(structuredClone(draft), (prefix) => `${prefix}_new_${++made}`);
      const random = new Random(seed);
      for (let i = 0; i < 1 + (seed % 7); i++) {
        if (random.below(2)) runAny(editor, random);
        else editor.runStep(random.step(editor.document));
      }
      check(draft, editor.document.flow);
      check(editor.document.flow, draft);
    }
  }, 60_000);
});

function check(before: Flow, after: Flow) {
  const changes = all(before, after);
  const [was, is] = [open(before), open(after)];
  const [own, ownAfter] = [valuesOf(was), valuesOf(is)];
  const places = [placesOf(was), placesOf(is)] as const;
  for (const change of changes) expect(change.words, JSON.stringify(change)).toMatch(/\S/);
  for (const { words, subject } of changes) expect(subject + words).not.toMatch(/undefined|\[object|lyr_new|scr_new/);
  const whole = (kind: Change['kind'], node: Found | null): boolean =>
    node !== null &&
    (changes.some((one) => one.kind === kind && one.nodes.includes(node.id)) || whole(kind, node.parent));
  for (const [id, node] of nodesOf(is)) {
    if (node.kind === 'position') continue;
    if (!own.has(id)) expect(whole('added', node), `${id} added`).toBe(true);
    else if (places[0].get(id) !== places[1].get(id))
      expect(
        changes.some((one) => one.kind === 'moved' && one.nodes.includes(id)),
        `${id} moved`,
      ).toBe(true);
  }
  for (const [id, node] of nodesOf(was))
    if (!ownAfter.has(id) && node.kind !== 'position') expect(whole('removed', node), `${id} removed`).toBe(true);
  for (const [id, values] of ownAfter) {
    const earlier = own.get(id);
    if (!earlier) continue;
    const different = [...new Set([...values.keys(), ...earlier.keys()])].filter(
      (at) => values.get(at) !== earlier.get(at),
    );
    if (nodesOf(is).get(id)!.kind === 'position') {
      if (different.length > 0) expect(changes.some(({ nodes }) => nodes.includes(id))).toBe(true);
      continue;
    }
    for (const at of different) {
      const found = changes.filter((one) => one.kind === 'changed' && covers(one, id, at.split('\n')));
      expect(found.length, `${id} ${at} in ${JSON.stringify(changes.filter(({ nodes }) => nodes.includes(id)))}`).toBe(
        1,
      );
    }
    for (const { nodes, kind, path, words } of changes)
      if (kind === 'changed' && nodes[0] === id && path![0] !== 'builderMeta')
        expect(
          different.some((at) => `${at}\n`.startsWith(`${path!.join('\n')}\n`)),
          `${id}: ${words}`,
        ).toBe(true);
  }
  if (changes.length === 0) expect(canonical(unstamped(after))).toBe(canonical(unstamped(before)));
}

const unstamped = ({ flowId: _f, version: _v, schemaVersion: _s, ...rest }: Flow): JsonObject => rest;

function nodesOf(document: Document): Map<string, Found> {
  const out = new Map<string, Found>();
  eachNode(nodeOf(document, 'flow')!, (node) => out.set(node.id, node));
  return out;
}

const placesOf = (document: Document) =>
  new Map([...nodesOf(document)].map(([id, { parent, slot }]) => [id, `${parent?.id} ${slot}`]));

/** Every value that a node itself has, by the names on the way. */
function valuesOf(document: Document): Map<string, Map<string, string>> {
  return new Map(
    [...nodesOf(document)].map(([id, { object, kind }]) => {
      const slots = new Set(slotsOf(kind).map(([, { path }]) => path.join('\n')));
      const out = new Map<string, string>();
      const walk = (value: Json, path: readonly string[]) => {
        const at = path.join('\n');
        if (slots.has(at) || (id === 'flow' && /^(flowId|version|schemaVersion)$/.test(at))) return;
        if (!isObject(value) || Object.keys(value).length === 0) out.set(at, canonical(value));
        else for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
      };
      walk(object, []);
      return [id, out];
    }),
  );
}

test('the fewest of a list are said to have moved', () => {
  expect([...longestRising([3, 0, 1, 2])].toSorted()).toEqual([1, 2, 3]);
  expect([...longestRising([0, 1, 2])].toSorted()).toEqual([0, 1, 2]);
  expect(longestRising([]).size).toBe(0);
});
