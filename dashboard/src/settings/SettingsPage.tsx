import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { may } from '../app/session/session';
import { ExportCard } from '../exports/ExportCard';
import { ImportsCard } from '../imports/ImportsCard';
import { Card } from '../ui/Card';
import { ApiKeys } from './ApiKeys';
import { AppRules } from './AppRules';
import { History } from './History';
import { IdentityProof } from './IdentityProof';
import { Keys } from './Keys';
import { Members } from './Members';
import { Notifications } from './Notifications';
import { settingsQuery } from './queries';
import { ReportsCard } from './ReportsCard';
import { Retention } from './Retention';
import { RevenueSources } from './RevenueSources';
import styles from './SettingsPage.module.css';
import { SignInRule } from './SignInRule';
import { SqlAccess } from './SqlAccess';
import { tabs } from './search';
import { Unmapped } from './Unmapped';
import { Usage } from './Usage';

const appRoute = getRouteApi('/apps/$app/$environment');
const settingsRoute = getRouteApi('/apps/$app/$environment/settings');

const names: Record<(typeof tabs)[number], string> = {
  keys: 'Keys',
  people: 'Members',
  notifications: 'Notifications',
  reports: 'Reports',
  plan: 'Usage',
  money: 'Revenue',
  data: 'Data',
  import: 'Import',
  export: 'Export',
  sql: 'SQL',
  history: 'Audit log',
};

/** The app's keys, rules and sources of money; the workspace's people, plan and history. */
export function SettingsPage() {
  const { tab = 'keys' } = settingsRoute.useSearch();
  const place = settingsRoute.useParams();
  const { app, access } = appRoute.useRouteContext();
  const answer = useQuery(settingsQuery(app.id, access.workspace.id));
  // Whoever hosts it alone has no plan to look at.
  const plan = answer.data?.data.workspace?.plan;
  const sold = plan?.key === 'self_hosted' ? undefined : plan;
  const allowed = {
    keys: true,
    people: true,
    notifications: true,
    reports: may(access, 'ANALYTICS_READ'),
    plan: true,
    money: may(access, 'APP_SETTINGS') || may(access, 'REVENUE_RECORD'),
    data: true,
    import: may(access, 'APP_SETTINGS'),
    export: may(access, 'APP_SETTINGS'),
    sql: may(access, 'APP_SETTINGS'),
    history: may(access, 'AUDIT_READ'),
  };
  return (
    <>
      <h1 className={styles.title}>Settings</h1>
      <nav className={styles.tabs} aria-label="Sections of the settings">
        {tabs
          .filter((name) => allowed[name])
          .map((name) => (
            <Link
              key={name}
              to="/apps/$app/$environment/settings"
              params={place}
              search={{ tab: name === 'keys' ? undefined : name }}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={name === tab ? 'page' : undefined}
            >
              {names[name]}
            </Link>
          ))}
      </nav>
      <div className={styles.cards}>
        {tab === 'keys' && (
          <>
            <Card
              title={`Publishable keys of ${app.name}`}
              answer={answer}
              part={({ app }) => app}
              path="app"
              waiting={{ rows: 4 }}
            >
              {(app) => <Keys app={app} access={access} />}
            </Card>
            <Card title="Custom user IDs" answer={answer} part={({ app }) => app} path="app" waiting={{ rows: 3 }}>
              {(app) => <IdentityProof app={app} access={access} />}
            </Card>
            <Card
              title="API keys"
              answer={answer}
              part={({ workspace }) => workspace}
              path="workspace"
              waiting={{ rows: 3 }}
            >
              {(workspace) => <ApiKeys workspace={workspace} access={access} />}
            </Card>
          </>
        )}
        {tab === 'people' && (
          <Card
            title={`Members of ${access.workspace.name}`}
            answer={answer}
            part={({ workspace }) => workspace}
            path="workspace"
            waiting={{ rows: 4 }}
          >
            {(workspace) => (
              <>
                <Members workspace={workspace} access={access} />
                <SignInRule workspace={workspace} access={access} />
              </>
            )}
          </Card>
        )}
        {tab === 'notifications' && (
          <Card
            title={`Notifications of ${access.workspace.name} by email`}
            answer={answer}
            part={({ workspace }) => workspace?.notificationMail}
            path="workspace.notificationMail"
            waiting={{ rows: 6 }}
          >
            {(mail) => <Notifications mail={mail} access={access} />}
          </Card>
        )}
        {tab === 'reports' && <ReportsCard place={place} access={access} />}
        {tab === 'plan' && (
          <Card
            title={sold ? 'Plan and usage' : 'Usage'}
            answer={answer}
            part={({ workspace }) => workspace?.usage}
            path="workspace.usage"
            waiting={{ rows: 3 }}
          >
            {(usage) => <Usage usage={usage} plan={sold?.name} />}
          </Card>
        )}
        {tab === 'money' && (
          <>
            {may(access, 'APP_SETTINGS') && <RevenueSources app={app.id} />}
            {may(access, 'REVENUE_RECORD') && <Unmapped />}
          </>
        )}
        {tab === 'data' && (
          <>
            <Card title="Data retention" answer={answer} part={({ app }) => app} path="app" waiting={{ rows: 3 }}>
              {(app) => <Retention key={app.id} app={app} access={access} />}
            </Card>
            <Card title="Tracking rules" answer={answer} part={({ app }) => app} path="app" waiting={{ rows: 4 }}>
              {(app) => <AppRules key={app.id} app={app} access={access} />}
            </Card>
          </>
        )}
        {tab === 'import' && allowed.import && <ImportsCard place={place} />}
        {tab === 'export' && allowed.export && <ExportCard place={place} />}
        {tab === 'sql' && allowed.sql && <SqlAccess app={app} access={access} />}
        {tab === 'history' && allowed.history && (
          <History workspace={access.workspace.id} members={answer.data?.data.workspace?.members ?? null} />
        )}
      </div>
    </>
  );
}
