import type { Asked } from '../graphql/send';
import {
  argumentFlags,
  flagsOf,
  kebab,
  moneyFlags,
  pathFlags,
  quoted,
  runFlags,
  sessionFlags,
  Unsayable,
} from './flags';
import { type Asking, fieldsAt, type Values } from './part';

export type Command = {
  line: string;
  /** Where in what it prints the part is, as a path; empty for all of it. */
  at: string;
};

/** Writes the command of the last of these fields. */
type Writer = (fields: readonly Asking[]) => { line: string; at?: string };

/** The dimensions of technology, which the command line has in the plural. */
const plurals: Record<string, string> = { BROWSER: 'browsers', OS: 'OPERATING_SYSTEMS', DEVICE: 'devices' };

const product: Writer = ([
  app,
  {
    arguments: { scope },
  } = nowhere,
  { name, arguments: own } = nowhere,
]) => {
  const plural = name.startsWith('technology') && { dimension: plurals[String(own.dimension)] };
  const command = name === 'retentionBreakdown' ? 'retention' : kebab(name);
  return line(
    `svc analytics product ${command}`,
    app?.arguments.id,
    ...flagsOf({ ...own, ...plural }, argumentFlags),
    ...flagsOf((scope ?? {}) as Values, sessionFlags),
  );
};

const flow: Writer = ([
  {
    arguments: { scope },
  } = nowhere,
  { name, arguments: own } = nowhere,
]) =>
  line(
    `svc analytics ${kebab(name)}`,
    (scope as Values).flowId,
    ...flagsOf(own, argumentFlags),
    ...flagsOf(scope as Values, runFlags),
  );

const money =
  (report: string, at?: string): Writer =>
  ([
    {
      arguments: { scope },
    } = nowhere,
    { arguments: own } = nowhere,
  ]) => ({
    ...line(
      'svc analytics revenue',
      (scope as Values).appId,
      `--report ${report}`,
      ...flagsOf(own, argumentFlags),
      ...flagsOf(scope as Values, moneyFlags),
    ),
    at,
  });

const paths: Writer = ([
  app,
  {
    arguments: { scope },
  } = nowhere,
  {
    arguments: { input },
  } = nowhere,
]) =>
  line(
    'svc analytics product paths',
    app?.arguments.id,
    ...flagsOf(input as Values, pathFlags),
    ...flagsOf((scope ?? {}) as Values, sessionFlags),
  );

/** Its steps are JSON, which it reads from the standard input. */
const funnel: Writer = ([
  app,
  {
    arguments: { scope },
  } = nowhere,
  {
    name,
    arguments: { input, ...own },
  } = nowhere,
]) => {
  const command = line(
    `svc analytics product ${kebab(name)}`,
    app?.arguments.id,
    '--funnel -',
    ...flagsOf(own, argumentFlags),
    ...flagsOf((scope ?? {}) as Values, sessionFlags),
  );
  return { line: `printf %s ${quoted(JSON.stringify(input))} | ${command.line}` };
};

/** The command of a field of an app, by its own arguments. */
const ofApp =
  (words: string): Writer =>
  ([
    app,
    {
      arguments: { scope, ...own },
    } = nowhere,
  ]) =>
    line(words, app?.arguments.id, ...flagsOf(own, argumentFlags), ...flagsOf((scope ?? {}) as Values, runFlags));

const byId =
  (words: string): Writer =>
  ([
    {
      arguments: { id, ...own },
    } = nowhere,
  ]) =>
    line(words, id, ...flagsOf(own, argumentFlags));

const all = (before: string, names: readonly string[], writer: Writer) =>
  Object.fromEntries(names.map((name) => [`${before}.${name}`, writer]));

/** The fields that a command prints, by their names from the root. */
const writers: Readonly<Record<string, Writer>> = {
  ...all(
    'app.productAnalytics',
    [
      ...['summary', 'series', 'overview', 'attribution', 'attributionSeries', 'engagement', 'engagementSeries'],
      ...['screens', 'events', 'eventsSeries', 'demographic', 'demographicSeries', 'technology', 'technologySeries'],
      ...['retentionSeries', 'retentionCohorts', 'retentionCurve', 'retentionBreakdown', 'visitors', 'timeline'],
      ...['goals', 'goalSeries', 'goalBreakdown'],
    ],
    product,
  ),
  'app.productAnalytics.paths': paths,
  ...all('app.productAnalytics', ['funnel', 'funnelSeries', 'funnelBreakdown'], funnel),
  // Printed beside breakdowns.
  'app.productAnalytics.retention': (fields) => ({ ...product(fields), at: 'retention' }),
  'app.live': ofApp('svc analytics product live'),
  'app.recentEvents': ofApp('svc analytics product recent'),
  'app.ingestHealth': ofApp('svc analytics ingest-health'),
  'app.appFlowOverview': ofApp('svc analytics app-overview'),
  'app.alerts': ofApp('svc alerts list'),
  'app.funnels': ofApp('svc funnels list'),
  'app.people': ofApp('svc people list'),
  'app.person': ofApp('svc people show'),
  ...all(
    'flowAnalytics',
    [
      ...['overview', 'timeseries', 'funnel', 'dropoff', 'stepDuration', 'cohorts', 'cohortKeys', 'timeseriesCohorts'],
      ...['purchases', 'responses', 'recent', 'retention'],
    ],
    flow,
  ),
  'revenue.totals': money('overview', 'totals'),
  'revenue.series': money('series'),
  'revenue.subscriptions': money('overview', 'subscriptions'),
  'revenue.subscriptionSeries': money('subscriptions'),
  'revenue.breakdown': money('breakdown'),
  'revenue.lifetimeValue': money('lifetime-value'),
  'revenue.subscriptionRetention': money('retention'),
  experimentResults: byId('svc experiment results'),
  experimentPlan: byId('svc experiment plan'),
};

/** The command line that prints what an operation asks for at a response path; undefined for what has no command. */
export function commandOf(path: string, asked: Asked): Command | undefined {
  const fields = fieldsAt(path, asked);
  if (!fields) return undefined;
  for (let length = fields.length; length > 0; length--) {
    const above = fields.slice(0, length);
    const names = above.map(({ name }) => name).join('.');
    const write = Object.hasOwn(writers, names) ? writers[names] : undefined;
    if (!write) continue;
    try {
      const { line, at } = write(above);
      const below = fields.slice(length).map(({ name }) => name);
      return { line, at: [...(at ? [at] : []), ...below].join('.') };
    } catch (error) {
      if (error instanceof Unsayable) return undefined;
      throw error;
    }
  }
  return undefined;
}

const nowhere: Asking = { name: '', arguments: {} };

function line(words: string, subject: unknown, ...flags: string[]) {
  if (typeof subject !== 'string') throw new Unsayable(words);
  return { line: [`${words} ${quoted(subject)}`, ...flags].join(' \\\n  ') };
}
