import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apply } from './apply';
import { canonical } from './canonical';
import { type Document, open } from './document';
import { type Applied, isRefusal, type Json, type JsonObject, type Refusal, type Step } from './operation';

type Vectors = {
  bases: Record<string, JsonObject>;
  cases: {
    name: string;
    base: string;
    log: Step[];
    outcome: { applied?: Applied; refused?: Refusal }[];
    result: string;
  }[];
};

const file = new URL('../../../../manifest/edit/testdata/vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

/** Holds the index to the document. */
function checkIndex(document: Document) {
  const fresh = open(document.flow);
  expect([...document.parents].sort()).toEqual([...fresh.parents].sort());
  expect([document.layers, document.screens]).toEqual([fresh.layers, fresh.screens]);
}

describe('operations give the bytes that Go gives', () => {
  test.each(vectors.cases)('$name', ({ base, log, outcome, result }) => {
    let document = open(vectors.bases[base]!);
    log.forEach((step, i) => {
      const before = document;
      const bytes = canonical(before.flow);
      const done = apply(document, step);
      expect(canonical(before.flow)).toBe(bytes);
      if (isRefusal(done)) {
        expect({ refused: done }).toEqual(outcome[i]);
        return;
      }
      const { step: applied, inverse } = done;
      expect(canonical({ step: applied, inverse } as unknown as Json)).toBe(
        canonical(outcome[i]!.applied as unknown as Json),
      );
      document = done.document;
      checkIndex(document);
      const undone = apply(document, { name: '', operations: inverse });
      expect(isRefusal(undone) ? undone : canonical(undone.document.flow)).toBe(bytes);
    });
    expect(canonical(document.flow)).toBe(result);
  });

  test('what a step does not touch keeps its identity', () => {
    const document = open(vectors.bases.small!);
    const done = apply(document, {
      name: 'Type',
      operations: [{ op: 'set', node: 'lyr_title', path: ['text', 'default'], value: 'Hi' }],
    });
    if (isRefusal(done)) throw new Error(done.code);
    const screens = (one: Document) => one.flow.screens as JsonObject[];
    expect(screens(done.document)[0]).not.toBe(screens(document)[0]);
    expect(screens(done.document)[1]).toBe(screens(document)[1]);
    expect(done.document.parents).toBe(document.parents);
  });
});
