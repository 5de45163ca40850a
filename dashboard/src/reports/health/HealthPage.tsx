import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ValueChart } from '../../charts/ValueChart';
import type { DataOf } from '../../graphql/graphql';
import { ScopeBar } from '../../scope/ScopeBar';
import { rangeOf } from '../../scope/scope';
import { useView } from '../../scope/useView';
import { Card } from '../../ui/Card';
import { Figures } from '../../ui/Figures';
import { RankedTable } from '../../ui/RankedTable';
import { When } from '../../ui/When';
import styles from './HealthPage.module.css';
import { healthGrain, healthQuery } from './queries';

const healthRoute = getRouteApi('/apps/$app/$environment/health');

/** What ingest refuses an event for, and what mends it (docs/rest.md). */
const codes: Record<string, string> = {
  event_invalid: 'no object of JSON, or a field of another type',
  event_id_required: 'an event without eventId',
  name_required: 'an event without a name',
  name_invalid: 'control characters, or a flow event that the catalogue lacks',
  name_too_long: 'a name of more than 120 characters',
  timestamp_invalid: 'a time that is no RFC 3339 date-time',
  event_too_old: 'older than events are told apart from duplicates',
  app_user_id_required: 'an event of nobody',
  screen_name_required: 'a view without the name of its page or screen',
  properties_invalid: 'properties that are no object, or hold what cannot be stored',
  properties_too_large: 'properties of more than 32,768 characters',
  properties_too_deep: 'properties nested deeper than eight',
  context_invalid: 'a field of the context with another type, value or length',
  purchase_invalid: 'a purchase without product, price or currency as they must be',
  person_erased: 'a device of a person who was erased',
  event_refused: 'the database refused this event, and only this one',
  invalid_json: 'a body that is no JSON',
  invalid_batch: 'a batch of none or of more than 500 events',
};

const lines = [
  ['accepted', 'Accepted'],
  ['duplicates', 'Duplicates'],
  ['ignored', 'Bots'],
  ['rejected', 'Rejected'],
] as const;

/** Whether what the apps send arrives: what was taken, what was not and why, and how late it comes. */
export function HealthPage() {
  const place = healthRoute.useParams();
  const { search } = useView();
  const answer = useQuery(healthQuery(place, search));
  const now = new Date();
  const running = (count: number) =>
    rangeOf(search, now).end.getTime() >= now.getTime() - 60_000 ? count - 1 : undefined;
  return (
    <>
      <ScopeBar title="Ingest health" grain={false} people={false} />
      <Card
        title="What arrived"
        answer={answer}
        part={({ app }) => app?.ingestHealth}
        path="app.ingestHealth"
        approximate={({ exact }) =>
          exact ? undefined : 'Visitors within about 2 %, delays within 0.1 %; all else is exact.'
        }
        waiting={{ height: 420 }}
        empty={({ accepted, rejected, duplicates }) =>
          accepted + duplicates > 0 || rejected.length > 0
            ? undefined
            : {
                title: 'Nothing arrived in this range',
                why: 'No app sent an event to this environment, or its key is of the other one.',
                next: (
                  <Link to="/apps/$app/$environment/home" params={place}>
                    How to send the first event
                  </Link>
                ),
              }
        }
      >
        {({ points, rejected, ...health }) => (
          <>
            <Figures
              figures={[
                { name: 'Accepted', kind: 'count', value: health.accepted },
                { name: 'Duplicates', kind: 'count', value: health.duplicates },
                { name: 'Bots', kind: 'count', value: health.ignored },
                {
                  name: 'Rejected',
                  kind: 'count',
                  value: rejected.reduce((sum, { count }) => sum + count, 0),
                },
                { name: 'Median delay', kind: 'seconds', value: health.delay?.p50 },
                { name: '99% within', kind: 'seconds', value: health.delay?.p99 },
              ]}
            />
            <ValueChart
              title="Events that arrived, by what became of them"
              kind="count"
              grain={healthGrain(search, now)}
              zone="UTC"
              running={running(points.length)}
              nameOf={(name) => name}
              series={lines.map(([key, value]) => ({
                value,
                points: points.map((point) => ({ bucket: point.bucket, value: point[key] })),
              }))}
            />
            <p className={styles.zone}>
              {healthGrain(search, now) === 'HOUR' ? 'Hours' : 'Days'} are of UTC: what arrives is counted by them.
            </p>
          </>
        )}
      </Card>
      <Card
        title="Rejected, by reason"
        answer={answer}
        part={({ app }) => app?.ingestHealth}
        path="app.ingestHealth"
        waiting={{ rows: 4 }}
      >
        {({ rejected }) =>
          rejected.length > 0 ? (
            <>
              <RankedTable
                name="Code"
                rows={rejected}
                keyOf={({ code }) => code}
                label={({ code }) => (
                  <>
                    {code} <small>{codes[code] ?? ''}</small>
                  </>
                )}
                columns={[{ id: 'count', name: 'Events', kind: 'count', value: ({ count }) => count }]}
              />
              <Samples rejected={rejected} />
            </>
          ) : (
            <p>Nothing was rejected.</p>
          )
        }
      </Card>
      <Card
        title="What reports leave out or put right"
        answer={answer}
        part={({ app }) => app?.ingestHealth}
        path="app.ingestHealth"
        waiting={{ rows: 4 }}
      >
        {(health) => (
          <RankedTable
            name="What"
            rows={[
              ['Names over the day’s budget', 'they are “(other)” in reports', health.namesOverBudget],
              [
                'Times that were put right',
                'the clock of the device was more than a minute off',
                health.correctedTimes,
              ],
              ['Hits beyond a session’s limit', 'only raw events hold them', health.sessionHitsOverLimit],
              ['Hits beyond a run’s limit', 'only raw events hold them', health.runHitsOverLimit],
              ['Runs whose start was lost', 'they count, from their earliest event', health.runsWithoutStart],
              ['People of experiments not noted', 'the day had too many new ones', health.servedLeftOut],
            ]}
            keyOf={([name]) => String(name)}
            label={([name, why]) => (
              <>
                {name} <small>{why}</small>
              </>
            )}
            columns={[{ id: 'count', name: 'Count', kind: 'count', value: ([, , count]) => Number(count) }]}
          />
        )}
      </Card>
    </>
  );
}

type Rejected = NonNullable<NonNullable<DataOf<'IngestHealth'>['app']>['ingestHealth']>['rejected'];

/** What the latest refused events were like. Who sent them and their properties are not kept. */
function Samples({ rejected }: { rejected: Rejected }) {
  const samples = rejected
    .flatMap(({ code, samples }) => samples.map((sample) => ({ code, ...sample })))
    .toSorted((a, b) => b.receivedAt.localeCompare(a.receivedAt));
  if (samples.length === 0) return null;
  return (
    <details className={styles.samples}>
      <summary>The latest that were rejected, at most five of each code</summary>
      <ul aria-label="Rejected events">
        {samples.map(({ code, receivedAt, eventId, name, message }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two events may agree in all that is kept of them
          <li key={i}>
            <b>{code}</b> <When at={receivedAt} />
            <p>{message}</p>
            <small>{[name && `event “${name}”`, eventId && `id ${eventId}`].filter(Boolean).join(', ')}</small>
          </li>
        ))}
      </ul>
    </details>
  );
}
