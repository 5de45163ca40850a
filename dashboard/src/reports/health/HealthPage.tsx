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

/** What ingest refuses an event for, and what fixes it (docs/rest.md). */
const codes: Record<string, string> = {
  event_invalid: 'not a JSON object, or a field of the wrong type',
  event_id_required: 'an event without eventId',
  name_required: 'an event without a name',
  name_invalid: 'control characters, or an unknown flow event',
  name_too_long: 'a name of more than 120 characters',
  timestamp_invalid: 'a time that is not RFC 3339',
  event_too_old: 'too old to detect duplicates',
  app_user_id_required: 'an event without a user id',
  screen_name_required: 'a view without the name of its page or screen',
  properties_invalid: 'properties that are not an object, or hold values that cannot be stored',
  properties_too_large: 'properties of more than 32,768 characters',
  properties_too_deep: 'properties nested deeper than eight',
  context_invalid: 'a field of the context with another type, value or length',
  purchase_invalid: 'a purchase without a valid product, price or currency',
  person_erased: 'a device of an erased user',
  event_refused: 'the database refused this event, and only this one',
  invalid_json: 'a body that is not JSON',
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
      <ScopeBar title="Data health" grain={false} people={false} />
      <Card
        title="Events received"
        answer={answer}
        part={({ app }) => app?.ingestHealth}
        path="app.ingestHealth"
        approximate={({ exact }) =>
          exact ? undefined : 'Visitors are accurate to about 2 %, delays to 0.1 %; all else is exact.'
        }
        waiting={{ height: 420 }}
        empty={({ accepted, rejected, duplicates }) =>
          accepted + duplicates > 0 || rejected.length > 0
            ? undefined
            : {
                title: 'No events in this period',
                why: 'No app sent events to this environment, or it uses the key of the other one.',
                next: (
                  <Link to="/apps/$app/$environment/home" params={place}>
                    Send your first event
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
              title="Received events by outcome"
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
            <p className={styles.zone}>Time zone: UTC</p>
          </>
        )}
      </Card>
      <Card
        title="Rejected events by reason"
        answer={answer}
        part={({ app }) => app?.ingestHealth}
        path="app.ingestHealth.rejected"
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
            <p>No rejected events.</p>
          )
        }
      </Card>
      <Card
        title="Adjusted or left out in reports"
        answer={answer}
        part={({ app }) => app?.ingestHealth}
        path="app.ingestHealth"
        waiting={{ rows: 4 }}
      >
        {(health) => (
          <RankedTable
            name="Rule"
            rows={[
              ['Event names over the daily limit', 'shown as “(other)” in reports', health.namesOverBudget],
              ['Corrected times', 'device clock more than a minute off', health.correctedTimes],
              ['Events over the limit per session', 'kept in raw events only', health.sessionEventsOverLimit],
              ['Events over the limit per run', 'kept in raw events only', health.runEventsOverLimit],
              ['Runs without a start event', 'counted from their earliest event', health.runsWithoutStart],
              ['Experiment users not recorded', 'too many new ones that day', health.assignmentsLeftOut],
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
      <summary>Latest rejected events, up to five per code</summary>
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
