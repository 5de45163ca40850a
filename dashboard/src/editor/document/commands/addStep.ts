import { childrenOf, type Document, nodeOf } from '../document';
import type { Command, NewId } from '../editor';
import { end, exitOf, goesTo, stepsOf, writtenEnd } from '../exits';
import type { JsonObject, NodeId, Operation } from '../operation';
import { leadTo, noExit } from './connect';
import { type Point, placed } from './placeSteps';
import { blankScreen } from './screens';

type Kind = 'screen' | 'decision' | 'surface';

/** Adds a screen, a decision or a paywall: on a way out, which leads to it from then on and it to where that led; else by itself. */
export const addStep: Command<{ kind: Kind; on?: string; at?: Point }> = {
  id: 'add-step',
  when({ document }, { kind, on }) {
    if (on === undefined) return true;
    const exit = exitOf(document, on);
    if (!exit) return noExit;
    return exit.kind !== 'back' || kind === 'screen' || 'A way back leads to a screen';
  },
  build({ document }, { kind, on, at }, newId) {
    const exit = on === undefined ? undefined : exitOf(document, on)!;
    const next = exit ? goesTo(document, exit) : end;
    const name = freeName(document, kind);
    const subtree = blank[kind](newId, name, next);
    const id = String(subtree.id);
    const operations: Operation[] = [insertion(document, kind, subtree, exit?.step)];
    if (exit) operations.push(...(leadTo(document, exit, id, kind) as Operation[]));
    else if (stepsOf(document).length === 0)
      operations.push({ op: 'set', node: 'flow', path: ['entryScreenId'], value: id });
    if (at) operations.push(placed(id, at));
    return {
      step: { name: `Add “${name}”`, operations },
      select: kind === 'screen' ? { screen: id } : { nodes: [id] },
    };
  },
};

function insertion(document: Document, kind: Kind, subtree: JsonObject, behind: NodeId | undefined): Operation {
  const slot = slots[kind];
  const there = childrenOf(nodeOf(document, 'flow')!).filter((one) => one.slot === slot);
  const after = there.find(({ id }) => id === behind) ?? there.at(-1);
  return { op: 'insert', parent: 'flow', slot, subtree, after: after?.id ?? null, before: null };
}

const blankCase = (newId: NewId, next: string | null): JsonObject => ({
  id: newId('case'),
  expression: { kind: 'empty' },
  next,
});

function blankDecision(newId: NewId, name: string, next: NodeId | undefined): JsonObject {
  const to = next === end ? writtenEnd : (next ?? null);
  return { id: newId('dec'), name, cases: [blankCase(newId, to)], elseNext: to };
}

/** A paywall, or another screen of the app: who shows it and what they sell is to be chosen. */
function blankSurface(newId: NewId, name: string, next: NodeId | undefined): JsonObject {
  const fallback = next === end ? writtenEnd : (next ?? null);
  return { id: newId('surf'), name, config: { provider: 'unspecified' }, outcomes: {}, fallback };
}

const blank = { screen: blankScreen, decision: blankDecision, surface: blankSurface };
const slots = { screen: 'screens', decision: 'decisionNodes', surface: 'externalSurfaceNodes' };
const words = { screen: 'Screen', decision: 'Decision', surface: 'Paywall' };

function freeName(document: Document, kind: Kind): string {
  const names = new Set(stepsOf(document).map(({ object }) => object.name));
  const word = words[kind];
  for (let i = stepsOf(document).filter((one) => one.kind === kind).length + 1; ; i++)
    if (!names.has(`${word} ${i}`)) return `${word} ${i}`;
}
