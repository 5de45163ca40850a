import type { Asked } from '../graphql/send';
import { type Dimension, dimensions } from '../scope/filters';
import { goalName } from '../scope/goals';
import { valueName } from '../scope/valueName';

type Filter = { op?: string; values: readonly string[] };

type Scope = {
  range?: { start: string; end: string };
  timeZone?: string;
  platform?: string;
  segmentId?: string;
  cross?: Record<string, Filter>;
  filters?: Record<string, Filter>;
};

type Named = readonly { id: string; name: string }[];

/** Range, zone and filters of what was asked, each filter a sentence; `segment` is the name of the one in force, `goals`
 * are those that filters may name. */
export function scopeOf({ variables }: Pick<Asked, 'variables'>, segment?: string, goals: Named = []) {
  const scope = (variables.scope ?? {}) as Scope;
  const filters = Object.entries({ ...scope.cross, ...scope.filters }).map(([field, filter]) =>
    sentence(field, filter, goals),
  );
  if (scope.platform) filters.unshift(`Platform is ${valueName('platform', scope.platform.toLowerCase())}`);
  if (scope.segmentId) filters.unshift(segment === undefined ? 'A segment' : `Segment “${segment}”`);
  return { range: scope.range, zone: scope.timeZone ?? 'UTC', segment: scope.segmentId, filters };
}

function sentence(field: string, { op = 'IS', values }: Filter, goals: Named): string {
  const dimension = (Object.keys(dimensions) as Dimension[]).find((name) => dimensions[name].field === field);
  const name = dimension ? dimensions[dimension].name : sentenceCase(field);
  const words = values.map((value) =>
    dimension === 'goal' ? goalName(goals, value) : valueName(dimension ?? field, value),
  );
  return `${name} ${op.toLowerCase().replaceAll('_', ' ')} ${words.join(' or ')}`;
}

/** `operatingSystem` as “Operating system”. */
const sentenceCase = (field: string) =>
  field.charAt(0).toUpperCase() + field.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
