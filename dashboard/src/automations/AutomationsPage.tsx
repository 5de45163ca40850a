import { Button, Drawer, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may } from '../app/session/session';
import { type Answer, send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import { Card } from '../ui/Card';
import { Figure } from '../ui/Figure';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { Waiting } from '../ui/Waiting';
import styles from './Automations.module.css';
import { EndpointDetail } from './EndpointDetail';
import { LimitsForm } from './LimitsForm';
import { NewEndpoint } from './NewEndpoint';
import { automationsChanged, automationsQuery, createAutomationDocument, type Endpoint, stateNames } from './queries';
import { starter } from './workflow';

const appRoute = getRouteApi('/apps/$app/$environment');
const automationsRoute = getRouteApi('/apps/$app/$environment/automations');

/** Automations when something happens to people, and where its messages go. */
export function AutomationsPage() {
  const { endpoint: open, after } = automationsRoute.useSearch();
  const place = automationsRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const navigate = automationsRoute.useNavigate();
  const answer = useQuery(automationsQuery(place, after));
  const pages = answer.data?.data.app?.automations?.pageInfo;
  const some = (answer.data?.data.app?.automations?.nodes.length ?? 0) > 0;
  const endpoints = answer.data?.data.app?.webhookEndpoints ?? [];
  const shown = endpoints.find(({ id }) => id === open);
  const show = (endpoint?: string) =>
    void navigate({ search: (before) => ({ ...before, endpoint, messages: undefined }), resetScroll: false });
  const turn = (after?: string) => void navigate({ search: (before) => ({ ...before, after }) });
  const editable = may(access, 'ENGAGE_MANAGE');
  return (
    <>
      <div className={styles.head}>
        <h1 className={styles.title}>Automations</h1>
        {may(access, 'CUSTOMERS_READ') && (
          <Link to="/apps/$app/$environment/automations/suppressed" params={place}>
            Suppressed addresses
          </Link>
        )}
      </div>
      <div className={styles.cards}>
        <Card
          title="Automations"
          actions={editable && some && <NewAutomation endpoint={endpoints[0]?.id} />}
          answer={answer}
          part={({ app }) => app?.automations?.nodes}
          path="app.automations"
          waiting={{ rows: 5 }}
          empty={(automations) =>
            automations.length > 0
              ? undefined
              : {
                  title: 'No automation yet',
                  why: 'An automation waits for an event, such as an abandoned cart, and sends webhooks.',
                  next: editable ? (
                    <NewAutomation endpoint={endpoints[0]?.id} />
                  ) : (
                    <span>Ask an editor to create one.</span>
                  ),
                }
          }
        >
          {(automations) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, so the keyboard must reach it
            <section className={styles.scroll} tabIndex={0} aria-label="Automations">
              <table className={styles.table}>
                <thead>
                  <tr>
                    <th scope="col">Automation</th>
                    <th scope="col">State</th>
                    <th scope="col">Entered</th>
                    <th scope="col">Running</th>
                    <th scope="col">Completed</th>
                    <th scope="col">Failed</th>
                    <th scope="col">Converted</th>
                  </tr>
                </thead>
                <tbody>
                  {automations.map(({ id, name, state, version, figures }) => (
                    <tr key={id}>
                      <th scope="row">
                        <Link
                          to="/apps/$app/$environment/automations/$automation"
                          params={{ ...place, automation: id }}
                        >
                          {name}
                        </Link>
                      </th>
                      <td>
                        <span className={styles.state} data-state={state}>
                          {stateNames[state]}
                        </span>{' '}
                        {version > 0 && <span className={styles.quiet}>v{version}</span>}
                      </td>
                      {(['entered', 'running', 'completed', 'failed', 'converted'] as const).map((figure) => (
                        <td key={figure}>
                          <Figure value={figures[figure]} kind="count" />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
              <div className={styles.row}>
                {after && (
                  <Button variant="default" onClick={() => turn()}>
                    First page
                  </Button>
                )}
                {pages?.hasNextPage && (
                  <Button variant="default" onClick={() => turn(pages.endCursor ?? undefined)}>
                    Next 50
                  </Button>
                )}
              </div>
            </section>
          )}
        </Card>
        <Card
          title="Destinations"
          actions={editable && endpoints.length > 0 && <NewEndpoint place={place} />}
          answer={answer}
          part={({ app }) => app?.webhookEndpoints}
          path="app.webhookEndpoints"
          waiting={{ rows: 2 }}
          empty={(endpoints) =>
            endpoints.length > 0
              ? undefined
              : {
                  title: 'No destination yet',
                  why: 'A destination is a URL of yours that receives signed webhooks and passes them on, for example to your email provider.',
                  next: editable ? <NewEndpoint place={place} /> : <span>Ask an editor to add one.</span>,
                }
          }
        >
          {(endpoints) => (
            <ul className={styles.list}>
              {endpoints.map((endpoint) => (
                <li key={endpoint.id}>
                  <button type="button" className={styles.open} onClick={() => show(endpoint.id)}>
                    <b>{endpoint.name}</b>
                    <span
                      className={styles.state}
                      data-state={!endpoint.enabled ? 'failed' : endpoint.failingSince ? 'pending' : 'on'}
                    >
                      {endpointWords(endpoint)}
                    </span>
                    <small>{endpoint.url}</small>
                    {endpoint.pending > 0 && <small>{endpoint.pending} pending</small>}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <Card
          title="Frequency and quiet hours"
          answer={answer}
          part={({ app }) => app?.automationLimits}
          path="app.automationLimits"
          waiting={{ rows: 2 }}
        >
          {(limits) =>
            isOf(answer.data, place) ? (
              <LimitsForm key={`${place.app} ${place.environment}`} limits={limits} place={place} editable={editable} />
            ) : (
              <Waiting rows={2} />
            )
          }
        </Card>
      </div>
      <Drawer
        opened={shown !== undefined}
        onClose={() => show()}
        title={shown?.name}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && <EndpointDetail key={shown.id} endpoint={shown} access={access} />}
      </Drawer>
    </>
  );
}

/** Whether an answer is of a place, and not of the one that was shown before. */
const isOf = (answer: Answer<'Automations'> | undefined, { app, environment }: Place) =>
  answer?.asked.variables.app === app && answer.asked.variables.environment === kindOf(environment);

/** Says in words whether an endpoint is enabled. */
export function endpointWords({ enabled, disabledReason, failingSince }: Endpoint): string {
  if (enabled) return failingSince ? 'Enabled, failing' : 'Enabled';
  switch (disabledReason) {
    case 'gone':
      return 'Disabled: it answered 410';
    case 'failing':
      return 'Disabled: it failed for five days';
    default:
      return 'Disabled';
  }
}

function NewAutomation({ endpoint }: { endpoint: string | undefined }) {
  const place = automationsRoute.useParams();
  const navigate = useNavigate();
  const [name, setName] = useState<string>();
  const { busy, problem, run } = useAct();
  if (name === undefined) {
    return <Button onClick={() => setName('')}>New automation</Button>;
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await run(() =>
      send(createAutomationDocument, {
        app: place.app,
        environment: kindOf(place.environment),
        name,
        definition: starter(endpoint),
      }),
    );
    if (!made) return;
    await automationsChanged();
    await navigate({
      to: '/apps/$app/$environment/automations/$automation',
      params: { ...place, automation: made.data.createAutomation.id },
    });
  };
  return (
    <form className={styles.new} onSubmit={submit}>
      <TextInput
        size="xs"
        aria-label="Name of the automation"
        placeholder="Name, such as Abandoned cart"
        required
        maxLength={80}
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" loading={busy !== ''}>
        Create
      </Button>
      <Button variant="subtle" onClick={() => setName(undefined)}>
        Cancel
      </Button>
      <Problem text={problem} />
    </form>
  );
}
