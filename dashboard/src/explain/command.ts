import type { Asked } from '../graphql/send';

type Values = Readonly<Record<string, unknown>>;

/** The reports that `svc analytics` has under another name than the field. */
const flowReports = new Set([
  'overview',
  'timeseries',
  'funnel',
  'dropoff',
  'stepDuration',
  'cohorts',
  'purchases',
  'responses',
  'recent',
  'retention',
]);
const revenueReports: Record<string, string> = {
  totals: 'overview',
  series: 'series',
  subscriptions: 'subscriptions',
  subscriptionSeries: 'subscriptions',
  breakdown: 'breakdown',
};

/** The dimensions of technology, which the command line has in the plural. */
const plurals: Record<string, string> = { BROWSER: 'browsers', OS: 'operatingSystems', DEVICE: 'devices' };

/** The command line that prints a report of an operation; undefined for what has no command. */
export function commandOf(field: string, { text, variables }: Asked): string | undefined {
  const scope = variables.scope as Values | undefined;
  const own = argumentsOf(field, text, variables);
  if (/\bproductAnalytics\(/.test(text) && typeof variables.app === 'string' && scope) {
    const { dimension, ...rest } = own;
    const name = field === 'retentionBreakdown' ? 'retention' : kebab(field);
    return line(
      ['svc analytics product', name, variables.app],
      [
        ...flags({ dimension: name.startsWith('technology') ? plurals[String(dimension)] : dimension, ...rest }),
        ...scopeFlags(scope),
      ],
    );
  }
  if (/\bflowAnalytics\(/.test(text) && scope && flowReports.has(field)) {
    return line(['svc analytics', kebab(field), String(scope.flowId)], [...flags(own), ...scopeFlags(scope)]);
  }
  if (/\brevenue\(/.test(text) && scope && revenueReports[field]) {
    return line(
      ['svc analytics revenue', String(scope.appId)],
      [...flags({ report: revenueReports[field], ...own }), ...scopeFlags(scope)],
    );
  }
  if (field === 'ingestHealth' && typeof variables.app === 'string') {
    const { environment, range, ...rest } = own;
    return line(
      ['svc analytics ingest-health', variables.app],
      [...flags(rest), ...scopeFlags({ environment, range } as Values)],
    );
  }
  if (field === 'people' && typeof variables.app === 'string') {
    const { environment, ...rest } = own;
    return line(['svc people list', variables.app], [...flags(rest), ...scopeFlags({ environment } as Values)]);
  }
  return undefined;
}

/** The arguments of a field, as the document gives them: by a variable, or written there. */
export function argumentsOf(field: string, text: string, variables: Values): Values {
  const found = new RegExp(`(?<![$\\w])${field}\\b\\s*\\(([^)]*)\\)`).exec(text);
  const values: Record<string, unknown> = {};
  for (const [, name = '', value = ''] of found?.[1]?.matchAll(/(\w+):\s*(\$?\w+)/g) ?? []) {
    values[name] = value.startsWith('$') ? variables[value.slice(1)] : literal(value);
  }
  return values;
}

const literal = (text: string): unknown => (/^(true|false|null|\d+)$/.test(text) ? JSON.parse(text) : text);

/** Flags of a report's own arguments: enums are written in camelCase, what is left out or false is none. */
const flags = (values: Values): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === false) return [];
    if (value === true) return [`--${kebab(name)}`];
    return [
      `--${kebab(name)} ${quoted(typeof value === 'string' && /^[A-Z][A-Z_0-9]*$/.test(value) && name !== 'search' ? camel(value) : String(value))}`,
    ];
  });

const flowFlags: Record<string, string> = { acquisitionChannel: 'channel' };

function scopeFlags(scope: Values): string[] {
  const range = scope.range as { start: string; end: string } | undefined;
  const parts: string[] = [];
  if (scope.environment === 'TEST') parts.push('--env test');
  if (range) parts.push(`--start ${range.start}`, `--end ${range.end}`);
  if (scope.timeZone) parts.push(`--time-zone ${String(scope.timeZone)}`);
  if (scope.platform) parts.push(`--platform ${String(scope.platform).toLowerCase()}`);
  if (scope.segmentId) parts.push(`--segment-id ${scope.segmentId}`);
  if (scope.basis === 'CHARGE') parts.push('--basis charge');
  for (const list of ['versions', 'channels', 'variants', 'countries'])
    for (const value of (scope[list] as string[] | undefined) ?? []) parts.push(`--${list} ${quoted(csv(value))}`);
  if (scope.experimentId) parts.push(`--experiment ${scope.experimentId}`);
  const filters = (scope.cross ?? scope.filters ?? {}) as Record<string, { op?: string; values: string[] }>;
  for (const [name, { op, values }] of Object.entries(filters)) {
    const flag = kebab((scope.filters ? flowFlags[name] : undefined) ?? name);
    for (const value of values) parts.push(`--xf-${flag} ${quoted(csv(value))}`);
    if (op && op !== 'IS') parts.push(`--xf-op-${flag} ${op.toLowerCase()}`);
  }
  return parts;
}

const line = (words: string[], flags: string[]) => [words.join(' '), ...flags].join(' \\\n  ');
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const camel = (name: string) => name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
/** A value of a list is read as CSV; the empty one must be seen. */
const csv = (value: string) => (value === '' || /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
const quoted = (text: string) => (/^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
