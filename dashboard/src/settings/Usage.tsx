import { LineChart } from '../charts/LineChart';
import { Figure } from '../ui/Figure';
import { formatBucket } from '../ui/format';
import { RankedTable } from '../ui/RankedTable';
import type { SettingsWorkspace } from './queries';
import styles from './SettingsPage.module.css';

type Props = { usage: NonNullable<SettingsWorkspace['usage']>; plan: string | undefined };

type AppUsage = Props['usage']['byApp'][number];

/** What the workspace used of its plan this month, by day and by app. */
export function Usage({ usage, plan }: Props) {
  const { month, liveUsers, liveUsersLimit, events, apps, appsLimit, experiments, pause, graceDaysLeft, days, byApp } =
    usage;
  const chart = { grain: 'DAY', zone: 'UTC', height: 180 } as const;
  const pointsOf = (value: (day: (typeof days)[number]) => number) =>
    days.map((day) => ({ bucket: `${day.day}T00:00:00Z`, value: value(day) }));
  const counted = liveUsers !== null;
  return (
    <>
      {pause && (
        <p className={styles.problem} role="alert">
          {pause === 'plan_limit_reached'
            ? 'The plan’s monthly active users are used up: live apps are paused until next month or until you upgrade.'
            : 'A payment is overdue: apps are paused until it is made.'}
        </p>
      )}
      {!pause && graceDaysLeft != null && (
        <p className={styles.problem} role="alert">
          A payment is overdue: apps are paused in {graceDaysLeft} days unless it is made.
        </p>
      )}
      <dl className={styles.usage}>
        {plan && (
          <>
            <dt>Plan</dt>
            <dd>{plan}</dd>
          </>
        )}
        <dt>Month</dt>
        <dd>{formatBucket(`${month}-01T00:00:00Z`, chart.zone, 'MONTH', true)}</dd>
        {counted && (
          <>
            <dt>Monthly active users</dt>
            <dd>
              <Figure value={liveUsers} kind="count" />
              {liveUsersLimit !== null && <> of {liveUsersLimit.toLocaleString()}</>}
            </dd>
          </>
        )}
        <dt>Events</dt>
        <dd>
          <Figure value={events} kind="count" />
        </dd>
        <dt>Apps</dt>
        <dd>
          {apps}
          {appsLimit !== null && ` of ${appsLimit}`}
        </dd>
        <dt>Running experiments</dt>
        <dd>{experiments}</dd>
      </dl>
      {counted && (
        <>
          <h3 className={styles.part}>Monthly active users, by day of the month</h3>
          <LineChart
            title="Monthly active users by day"
            kind="count"
            {...chart}
            lines={[{ name: 'Active this month', points: pointsOf((day) => day.liveUsers) }]}
          />
        </>
      )}
      <h3 className={styles.part}>Events, by day</h3>
      <LineChart
        title="Events by day"
        kind="count"
        {...chart}
        running={days.length - 1}
        lines={[{ name: 'Events', points: pointsOf((day) => day.events) }]}
      />
      {byApp.length > 0 && (
        <RankedTable
          name="App"
          rows={byApp}
          keyOf={(app) => app.appId}
          label={(app) => app.name}
          columns={[
            { id: 'events', name: 'Events', kind: 'count', value: (app) => app.events },
            ...(counted
              ? [{ id: 'users', name: 'Active users', kind: 'count' as const, value: (app: AppUsage) => app.liveUsers }]
              : []),
          ]}
        />
      )}
    </>
  );
}
