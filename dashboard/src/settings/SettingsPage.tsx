import { useQuery } from '@tanstack/react-query';
import { appRoute } from '../app/routes';
import { localZone } from '../scope/calendar';
import { Card } from '../ui/Card';
import { Figure } from '../ui/Figure';
import { formatTime } from '../ui/format';
import { Keys } from './Keys';
import { Members } from './Members';
import styles from './SettingsPage.module.css';
import { settingsQuery } from './settings';

/** The app's keys; the workspace's people, plan and history. */
export function SettingsPage() {
  const { app, access } = appRoute.useRouteContext();
  const answer = useQuery(settingsQuery(app.id, access.workspace.id));
  return (
    <>
      <h1 className={styles.title}>Settings</h1>
      <div className={styles.cards}>
        <Card title={`Keys of ${app.name}`} answer={answer} part={({ app }) => app} path="app" waiting={{ rows: 4 }}>
          {(app) => <Keys app={app} access={access} />}
        </Card>
        <Card
          title={`People of ${access.workspace.name}`}
          answer={answer}
          part={({ workspace }) => workspace}
          path="workspace"
          waiting={{ rows: 4 }}
        >
          {(workspace) => <Members workspace={workspace} access={access} />}
        </Card>
        <Card
          title="Plan and usage"
          answer={answer}
          part={({ workspace }) => workspace?.usage}
          path="workspace.usage"
          waiting={{ rows: 3 }}
        >
          {({ month, liveUsers, liveUsersLimit, events, apps, appsLimit, experiments, pause, graceDaysLeft }) => (
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
          )}
        </Card>
        <Card
          title="Who changed what"
          answer={answer}
          part={({ workspace }) => workspace?.auditLog}
          path="workspace.auditLog"
          waiting={{ rows: 6 }}
        >
          {({ nodes }) => (
            <ul className={styles.rows}>
              {nodes.map(({ id, createdAt, action, user }) => (
                <li key={id}>
                  <b>{action}</b>
                  <span>{user ? user.name || user.email : 'the server'}</span>
                  <time dateTime={createdAt}>
                    {formatTime(createdAt, localZone(), { dateStyle: 'medium', timeStyle: 'short' })}
                  </time>
                </li>
              ))}
            </ul>
          )}
        </Card>
      </div>
    </>
  );
}
