import { dimensions, filtersOfCross, operators } from './filters';
import { valueName } from './valueName';

type Filters = { platform?: string | null | undefined; cross?: unknown };

/** What filters of sessions ask for: of each, its dimension with how it is compared, and its values in words. */
export function filterFacts({ platform, cross }: Filters, nameOf = valueName): [about: string, values: string][] {
  return [
    ...(platform ? [['Platform is', valueName('platform', platform.toLowerCase())] as [string, string]] : []),
    ...filtersOfCross(cross).map(({ dimension, operator, values }): [string, string] => [
      `${dimensions[dimension].name} ${operators[operator].words}`,
      values.map((value) => nameOf(dimension, value)).join(', '),
    ]),
  ];
}
