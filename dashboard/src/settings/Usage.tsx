import { Figure } from '../ui/Figure';
import styles from './SettingsPage.module.css';
import type { SettingsWorkspace } from './settings';

type Props = { usage: NonNullable<SettingsWorkspace['usage']>; plan: string | undefined };

/** What the workspace used of its plan this month. */
export function Usage({ usage, plan }: Props) {
  const { month, liveUsers, liveUsersLimit, events, apps, appsLimit, experiments, pause, graceDaysLeft } = usage;
  return (
    <>
      {pause && (
        <p className={styles.problem} role="alert">
          {pause === 'plan_limit_reached'
            ? 'The plan’s monthly active users are used up: live apps are paused until the month turns or the plan grows.'
            : 'A payment is late for too long: apps are paused until it is made.'}
        </p>
      )}
      {!pause && graceDaysLeft != null && (
        <p className={styles.problem} role="alert">
          A payment is late: apps are paused in {graceDaysLeft} days unless it is made.
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
        <dd>{month}</dd>
        {liveUsers !== null && (
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
    </>
  );
}
