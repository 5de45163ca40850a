import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { may } from '../app/session/session';
import type { AlertRuleInput } from '../graphql/schema.gen';
import { type Place, zoneOf } from '../scope/scope';
import { useView } from '../scope/useView';
import { Card } from '../ui/Card';
import formStyles from '../ui/Form.module.css';
import { FormDrawer } from '../ui/FormDrawer';
import { formatShort } from '../ui/format';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import { AlertForm } from './AlertForm';
import styles from './Alerts.module.css';
import { type Alert, alertsQuery, pauseAlert } from './queries';
import { describe, metrics } from './rule';

const alertsRoute = getRouteApi('/apps/$app/$environment/alerts');
const appRoute = getRouteApi('/apps/$app/$environment');

/** The alerts of an environment, where each stands, and what is told without one. */
export function AlertsPage() {
  const place: Place = alertsRoute.useParams();
  const { alert: open } = alertsRoute.useSearch();
  const navigate = alertsRoute.useNavigate();
  const { access } = appRoute.useRouteContext();
  const { search } = useView();
  const [adding, setAdding] = useState(false);
  const answer = useQuery(alertsQuery(place));
  const app = answer.data?.data.app;
  const named = { goals: app?.goals?.nodes ?? [], segments: app?.segments?.nodes ?? [] };
  const manages = may(access, 'SEGMENT_MANAGE');
  const shown = manages ? app?.alerts?.nodes.find(({ id }) => id === open) : undefined;
  const show = (alert: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, alert }), resetScroll: false });
  const close = () => {
    setAdding(false);
    if (open) show(undefined);
  };
  const add = manages && <Button onClick={() => setAdding(true)}>Add alert</Button>;
  return (
    <>
      <h1 className={styles.title}>Alerts</h1>
      <div className={styles.cards}>
        <Card
          title="Alerts"
          answer={answer}
          part={({ app }) => app?.alerts}
          path="app.alerts"
          waiting={{ rows: 4 }}
          actions={(app?.alerts?.nodes.length ?? 0) > 0 ? add : undefined}
          empty={({ nodes }) =>
            nodes.length > 0
              ? undefined
              : {
                  title: 'No alerts yet',
                  why: 'An alert looks at a metric every minute and tells members when it is out of bounds: in the inbox, by email, in Slack, by webhook.',
                  next: add || 'Members who edit can add one.',
                }
          }
        >
          {({ nodes }) => (
            <ul className={styles.list}>
              {nodes.map((alert) => (
                <Row
                  key={alert.id}
                  alert={alert}
                  words={describe(alert.rule as AlertRuleInput, named)}
                  edit={manages ? () => show(alert.id) : undefined}
                />
              ))}
            </ul>
          )}
        </Card>
        <AlwaysOn place={place} />
      </div>
      <FormDrawer
        opened={adding || shown !== undefined}
        close={close}
        title={shown ? 'Edit alert' : 'Add alert'}
        what="the alert"
        size="xl"
      >
        {(note) =>
          (adding || shown) && (
            <AlertForm
              key={shown?.id}
              note={note}
              place={place}
              alert={shown}
              named={named}
              zone={zoneOf(search)}
              tellsOthers={may(access, 'WORKSPACE_MANAGE')}
              done={close}
            />
          )
        }
      </FormDrawer>
    </>
  );
}

function Row({ alert, words, edit }: { alert: Alert; words: string; edit: (() => void) | undefined }) {
  const { act, busy, problem } = useAct();
  const { name, paused, state, slackUrl, slackDelivery } = alert;
  const rule = alert.rule as AlertRuleInput;
  const standing = paused ? 'paused' : state?.firing ? 'firing' : 'ok';
  return (
    <li className={styles.alert}>
      <span className={styles.state} data-state={standing}>
        {{ paused: 'Paused', firing: 'Firing', ok: 'OK' }[standing]}
      </span>
      <div className={styles.about}>
        <b>{name}</b>
        {words !== name && <p>{words}</p>}
        <p className={styles.quiet}>
          {state?.since && (
            <>
              {state.firing ? 'Fires since ' : 'Resolved '}
              <When at={state.since} />.{' '}
            </>
          )}
          {state?.value != null && `Last value: ${formatShort(state.value, metrics[rule.metric ?? 'VISITORS'].kind)}. `}
          {slackUrl && `Posts to Slack (${slackUrl}).`}
        </p>
        {slackDelivery?.state === 'FAILED' && (
          <Problem text={`The latest message to Slack was not delivered: ${slackDelivery.reason}.`} />
        )}
        <Problem text={problem} />
      </div>
      {edit && (
        <div className={formStyles.acts}>
          <Button
            variant="default"
            size="xs"
            aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
            loading={busy === 'pause'}
            onClick={() => void act(() => pauseAlert(alert.id, !paused), 'pause')}
          >
            {paused ? 'Resume' : 'Pause'}
          </Button>
          <Button variant="default" size="xs" aria-label={`Edit ${name}`} onClick={edit}>
            Edit
          </Button>
        </div>
      )}
    </li>
  );
}

/** What members are told of without an alert. */
function AlwaysOn({ place }: { place: Place }) {
  return (
    <section className={styles.quiet} aria-label="Always on">
      <p>
        Always on, without an alert: a new version does harm, an experiment is split wrongly, events are rejected, a
        webhook endpoint or a billing connection fails.{' '}
        <Link to="/apps/$app/$environment/settings" params={place} search={{ tab: 'notifications' }}>
          Choose what comes by email
        </Link>
        ; endpoints for webhooks are under{' '}
        <Link to="/apps/$app/$environment/automations" params={place}>
          Automations
        </Link>
        .
      </p>
    </section>
  );
}
