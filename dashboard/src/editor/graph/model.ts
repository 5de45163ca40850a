import type { Subject } from '../../sentences/operators';
import { conditionWords } from '../../sentences/words';
import { type Document, type Found, nodeOf, nodesIn, slotOf } from '../document/document';
import { type Exit, end, exitName, exitsOf, firstWords, stepsOf } from '../document/exits';
import type { NodeId } from '../document/operation';
import { nameOf } from '../names';
import { subjectsOf } from '../subjects';

/** A way out as a line of its node: an edge begins beside it when it leads somewhere. */
export type Row = { exit: string; label: string; kind: Exit['kind']; to: NodeId | undefined };

export type StepKind = 'screen' | 'decision' | 'surface' | 'end';

export type GraphNode = {
  id: NodeId;
  kind: StepKind;
  name: string;
  /** The first words of a screen, or what a surface asks. */
  words: string;
  isEntry: boolean;
  rows: Row[];
};

export type GraphEdge = { id: string; from: NodeId; to: NodeId };

/** What is drawn of a flow: its steps and the end, and the ways between them. */
export type Graph = { nodes: GraphNode[]; edges: GraphEdge[] };

const providers: Record<string, string> = {
  unspecified: 'Not set up yet',
  revenuecat: 'RevenueCat paywall',
  superwall: 'Superwall paywall',
  stripe: 'Stripe payment link',
  headless: 'Drawn by the app',
};

/** Makes the graph of a document. A way that leads to a step that is not there has no edge: its row says so. */
export function graphOf(document: Document): Graph {
  const steps = stepsOf(document);
  const known = new Set([...steps.map(({ id }) => id), end]);
  const subjects = subjectsOf(document);
  const nodes = steps.map((step) => nodeFor(document, step, subjects));
  const edges = nodes.flatMap(({ id, rows }) =>
    rows.flatMap(({ exit, to }) => (to !== undefined && known.has(to) ? [{ id: exit, from: id, to }] : [])),
  );
  if (edges.some(({ to }) => to === end))
    nodes.push({ id: end, kind: 'end', name: 'End', words: '', isEntry: false, rows: [] });
  return { nodes, edges };
}

function nodeFor(document: Document, step: Found, subjects: readonly Subject[]): GraphNode {
  const { id, kind, object } = step;
  const shown = exitsOf(step).filter((exit) => kind !== 'screen' || exit.kind === 'next' || exit.to !== undefined);
  return {
    id,
    kind: kind as StepKind,
    name: nameOf(object, kind),
    words: kind === 'screen' ? firstWords(step) : kind === 'surface' ? providerOf(object.config) : '',
    isEntry: document.flow.entryScreenId === id,
    rows: shown.map((exit) => ({
      exit: exit.id,
      label: exit.kind === 'case' ? caseLabel(document, exit, subjects) : exitName(document, exit),
      kind: exit.kind,
      to: exit.to,
    })),
  };
}

function caseLabel(document: Document, exit: Exit, subjects: readonly Subject[]): string {
  const object = nodeOf(document, exit.node)?.object;
  return typeof object?.name === 'string' && object.name ? object.name : conditionWords(object?.expression, subjects);
}

function providerOf(config: unknown): string {
  return providers[String((config as { provider?: unknown } | undefined)?.provider)] ?? '';
}

export type Position = { x: number; y: number };

/** The positions that people gave to steps, by step. */
export function positionsIn(document: Document): Map<NodeId, Position> {
  const list = nodesIn(document.flow, slotOf('flow', 'layout')!);
  return new Map(
    list.flatMap(({ id, x, y }) =>
      typeof x === 'number' && typeof y === 'number' ? [[String(id), { x, y }] as const] : [],
    ),
  );
}
