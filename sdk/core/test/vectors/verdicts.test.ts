import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  type FlowManifest,
  findExternalSurface,
  findScreen,
  initFlowState,
  startFlow,
  submitResponse,
} from '../../src/index';

interface Patch {
  op: 'add' | 'remove' | 'replace';
  path: string;
  value?: unknown;
}
interface Verdict {
  name: string;
  patch: Patch[];
  problems?: { code: string; pointer: string }[];
}

const folder = new URL('../../../../manifest/', import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));
const { base, cases } = read('testdata/verdicts.json') as { base: unknown; cases: Verdict[] };

/** Lays a patch over a document (RFC 6902). */
function patched(document: unknown, { op, path, value }: Patch): unknown {
  if (path === '') return value;
  const copy = structuredClone(document);
  const tokens = path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = tokens.pop() as string;
  // biome-ignore lint/suspicious/noExplicitAny: it walks through documents of any shape
  const holder = tokens.reduce((at: any, token) => at[token], copy);
  if (!Array.isArray(holder)) {
    if (op === 'remove') delete holder[last];
    else holder[last] = value;
  } else if (op === 'add') holder.splice(last === '-' ? holder.length : Number(last), 0, value);
  else if (op === 'remove') holder.splice(Number(last), 1);
  else holder[Number(last)] = value;
  return copy;
}

const documentOf = ({ patch }: Verdict): unknown => patch.reduce(patched, base);

// The types of this package are made from the same schema. Lengths are UTF-16 units on both sides.
const options = { unicode: false, strict: false, logger: false } as const;
const schema = read('schema.json');
const fits = new Ajv2020(options).compile(schema);
/** Tries every variant to its end, which only documents without deep nesting can bear. */
const explain = new Ajv2020({ ...options, allErrors: true }).compile(schema);

/** Where an error lies, as the service says it: at the member that is missing or too many. */
function pointerOf({ instancePath, keyword, params }: ErrorObject): string {
  if (keyword === 'required') return `${instancePath}/${params.missingProperty}`;
  if (keyword === 'additionalProperties') return `${instancePath}/${params.additionalProperty}`;
  if (keyword === 'propertyNames') return `${instancePath}/${params.propertyName}`;
  return instancePath;
}

/** Old forms, which the service rewrites before it looks: clients are never served them. */
const REWRITTEN = ['an old schema version is rewritten', 'the width fill becomes full'];

describe('verdicts on manifests', () => {
  it('are there', () => {
    expect(cases.length).toBeGreaterThan(200);
    expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining(REWRITTEN));
  });

  it.each(cases.filter(({ name }) => !REWRITTEN.includes(name)))('$name', (verdict) => {
    const document = documentOf(verdict);
    const structural = (verdict.problems ?? []).filter(({ code }) => code.startsWith('schema.'));
    expect(fits(document)).toBe(structural.length === 0);
    if (structural.length === 0) return;
    explain(document);
    const pointers = (explain.errors ?? []).map(pointerOf);
    // Beside them stand the errors of all the variants that the value was never meant to be.
    for (const { pointer } of structural) expect(pointers).toContain(pointer);
  });

  const accepted = cases.filter(({ problems = [] }) => problems.length === 0);

  it.each(accepted)('runs: $name', (verdict) => {
    const manifest = documentOf(verdict) as FlowManifest;
    let state = startFlow(initFlowState(manifest, { platform: 'web' }));
    // A flow may go round in circles; it must never stand on something that is not there.
    for (let step = 0; step < 50 && state.status === 'running'; step += 1) {
      const surface = state.pendingExternalSurface;
      if (surface) expect(findExternalSurface(manifest, surface.nodeId)).toBeDefined();
      else expect(findScreen(manifest, state.currentScreenId)).toBeDefined();
      state = submitResponse(
        state,
        surface ? { kind: 'external_surface_outcome', nodeId: surface.nodeId, outcome: 'failed' } : { kind: 'skip' },
      );
    }
    expect(['idle', 'running', 'completed']).toContain(state.status);
    expect(state.status === 'idle').toBe(manifest.entryScreenId === null);
  });
});
