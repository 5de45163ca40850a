import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apply } from './apply';
import { canonical } from './canonical';
import { type Document, type Flow, open } from './document';
import { Editor } from './editor';
import { isRefusal, type Json, type Step } from './operation';
import { runAny } from './TestCommands';
import { Random, small } from './TestRandom';

const root = new URL('../../../../', import.meta.url);
const examples = new URL('manifest/examples/', root);
const drafts: Flow[] = [
  ...Array.from({ length: 36 }, () => small),
  ...readdirSync(examples)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as Flow),
];

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A random step, or the steps that a random command makes. */
function stepsOf(random: Random, document: Document): Step[] {
  if (random.below(3) > 0) return [random.step(document)];
  const steps: Step[] = [];
  const editor = Editor.open(document.flow, (prefix) => random.id(prefix));
  editor.onEdit = ({ step }) => steps.push(JSON.parse(JSON.stringify(step)) as Step);
  runAny(editor, random);
  return steps;
}

/** Runs random steps on a draft until so many operations were applied, and lists them with what they came to. */
function record(draft: Flow, seed: number, least: number): { lines: string[]; done: number; refused: number } {
  const random = new Random(seed);
  const lines = [canonical({ draft } as unknown as Json)];
  let [document, digest, done, refused] = [open(draft), '', 0, 0];
  while (done < least) {
    for (const step of stepsOf(random, document)) {
      const came = apply(document, step);
      const outcome = isRefusal(came) ? { refused: came } : { applied: { step: came.step, inverse: came.inverse } };
      if (isRefusal(came)) refused++;
      else [document, done] = [came.document, done + came.step.operations.length];
      digest = sha256([digest, canonical(outcome as unknown as Json), canonical(document.flow)].join('\n'));
      lines.push(JSON.stringify({ step, digest }));
    }
  }
  return { lines, done, refused };
}

/** Runs manifest/edit's TestTwin on steps; what it says when they come to other bytes in Go. */
function inGo(lines: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-twin-'));
  try {
    const file = join(folder, 'steps.jsonl');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const command = ['test', '-count=1', '-vet=off', '-v', '-run', '^TestTwin$', './manifest/edit', '-twin', file];
    return execFileSync('go', command, { cwd: root, encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('Go comes to the same bytes after each of 10,000 random operations', () => {
  const share = 10_000 / drafts.length;
  const all = drafts.map((draft, seed) => record(draft, seed + 1, share));
  const steps = all.reduce((sum, { lines }) => sum + lines.length - 1, 0);
  expect(all.reduce((sum, { done }) => sum + done, 0)).toBeGreaterThanOrEqual(10_000);
  expect(all.every(({ refused }) => refused > 20)).toBe(true);
  expect(inGo(all.flatMap(({ lines }) => lines))).toContain(`${steps} steps came to the same bytes`);
}, 120_000);

test('Go names the first step that comes to other bytes', () => {
  const { lines } = record(small, 99, 60);
  lines[7] = lines[7]!.replace(/"digest":"./, '"digest":"-');
  expect(inGo(lines)).toContain('step 7: the editor came to something else after');
}, 60_000);

/** What Go runs by itself. */
test('manifest/edit/testdata/twin.jsonl has what the editor makes (UPDATE_VECTORS=1 writes it)', () => {
  const file = new URL('manifest/edit/testdata/twin.jsonl', root);
  const text = `${record(small, 5, 40).lines.join('\n')}\n`;
  if (process.env.UPDATE_VECTORS) writeFileSync(file, text);
  expect(readFileSync(file, 'utf8') === text).toBe(true);
});
