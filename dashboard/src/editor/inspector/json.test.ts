import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apply } from '../document/apply';
import { canonical } from '../document/canonical';
import { eachNode, nodeOf, open } from '../document/document';
import { isRefusal, type JsonObject } from '../document/operation';
import { operationsFor, ownJson } from './json';

const document = open(
  JSON.parse(readFileSync(new URL('../../../../manifest/examples/all-layers.json', import.meta.url), 'utf8')),
);
const ids: string[] = [];
eachNode(nodeOf(document, 'flow')!, ({ id }) => ids.push(id));

test('JSON that nobody changed changes nothing', () => {
  expect(ids.length).toBeGreaterThan(100);
  for (const id of ids) {
    const node = nodeOf(document, id)!;
    if (node.kind === 'flow' || !id.includes('/')) expect(operationsFor(node, ownJson(node))).toEqual([]);
  }
});

test('what is written is what the node has then, and everything inside it stays', () => {
  for (const id of ids.filter((id) => !id.includes('/') && id !== 'flow')) {
    const node = nodeOf(document, id)!;
    const own = ownJson(node);
    const [first] = Object.keys(own).filter((name) => typeof own[name] === 'string' || name === 'style');
    const written: JsonObject = { ...own, name: 'Another', ...(first && { [first]: undefined }) } as JsonObject;
    const clean = JSON.parse(JSON.stringify(written)) as JsonObject;
    const done = apply(document, { name: '', operations: operationsFor(node, clean) });
    if (isRefusal(done)) throw new Error(`${id}: ${done.code}`);
    const after = nodeOf(done.document, id)!;
    expect(canonical(ownJson(after))).toBe(canonical(clean));
    expect(done.document.parents).toEqual(document.parents);
  }
});
