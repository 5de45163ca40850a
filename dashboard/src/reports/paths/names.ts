import type { PathPointInput } from '../../graphql/schema.gen';
import type { Filter } from '../../scope/filters';
import { type Kind, kinds } from './search';

/** A node by what it stands for; all others of a step have neither kind nor name. */
type Named = { kind: 'PAGE' | 'SCREEN' | 'EVENT' | null; name: string | null };

export const nameOf = ({ name }: Named): string => (name === null ? 'Other' : name || '(none)');

export const kindOf = ({ kind }: Named): Kind | undefined => kind?.toLowerCase() as Kind | undefined;

export const kindName = (node: Named): string => {
  const kind = kindOf(node);
  return kind ? kinds[kind] : 'All other';
};

/** The filter that keeps sessions with the node; none for what no filter of sessions can say: patterns, and the others of a
 * step. */
export function filterOf({ kind, name }: Named): Filter | undefined {
  if (kind === null || name === null || name.includes('*')) return undefined;
  return { operator: 'is', dimension: kind === 'EVENT' ? 'event' : 'page', values: [name] };
}

/** A node as conditions name it; none for the others of a step. */
export const pointOf = ({ step, kind, name }: Named & { step: number }): PathPointInput[] =>
  kind === null || name === null ? [] : [{ step, kind, name }];
