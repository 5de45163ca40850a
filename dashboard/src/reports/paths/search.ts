import * as v from 'valibot';
import type { PathKind, PathsInput } from '../../graphql/schema.gen';
import type { ScopeSearch } from '../../scope/scope';

/** What an anchor may be, as addresses write it. */
export const kinds = { page: 'Page', screen: 'Screen', event: 'Event' } as const;

export type Kind = keyof typeof kinds;

export const steps = ['2', '3', '4', '5', '6', '7', '8'] as const;

const usualSteps = '5';

/** Which nodes paths have beside the anchor. */
export const nodesShown = { all: 'Views and events', views: 'Views only', events: 'Events only' } as const;

const nodeKinds: Record<keyof typeof nodesShown, PathKind[]> = {
  all: ['PAGE', 'SCREEN', 'EVENT'],
  views: ['PAGE', 'SCREEN'],
  events: ['EVENT'],
};

const choice = <const T extends readonly string[]>(values: T) =>
  v.optional(v.fallback(v.optional(v.picklist(values)), undefined));

export const pathsSearch = v.object({
  /** The anchor's kind and name; left out, what most visitors view. */
  kind: choice(Object.keys(kinds) as Kind[]),
  name: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(2048))), undefined)),
  direction: choice(['before']),
  steps: choice(steps),
  nodes: choice(['views', 'events']),
  /** Patterns whose names are one node. */
  group: v.optional(
    v.fallback(v.optional(v.pipe(v.array(v.pipe(v.string(), v.minLength(1))), v.maxLength(20))), undefined),
  ),
});

export type PathsSearch = v.InferOutput<typeof pathsSearch>;
export type PathsView = ScopeSearch & PathsSearch;

export type Anchor = { kind: Kind; name: string };

/** What the server is asked for. */
export const toPaths = ({ kind, name }: Anchor, { direction, steps, nodes, group }: PathsSearch): PathsInput => ({
  anchor: { kind: kind.toUpperCase() as PathKind, name },
  direction: direction === 'before' ? 'BEFORE' : 'AFTER',
  steps: Number(steps ?? usualSteps),
  kinds: nodeKinds[nodes ?? 'all'],
  groups: group ?? [],
});

/** The patterns that somebody writes, one a line. */
export const groupsOf = (text: string): string[] | undefined => {
  const lines = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
  return lines.length > 0 ? lines : undefined;
};
