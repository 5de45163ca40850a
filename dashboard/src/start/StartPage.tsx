import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { may } from '../app/session/session';
import { Failure } from '../ui/Failure';
import { Icon } from '../ui/Icon';
import { Waiting } from '../ui/Waiting';
import { BeginFlow } from './BeginFlow';
import { OpenFlow } from './OpenFlow';
import { PublishFlow } from './PublishFlow';
import { lookAgain, type Progress, progressOf, startQuery } from './queries';
import { Snippets } from './Snippets';
import styles from './Start.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');
const startRoute = getRouteApi('/apps/$app/$environment/start');

/** The way from a new app to its first flow: each step turns green when the server says that it is done. */
export function StartPage() {
  const place = startRoute.useParams();
  const { app } = appRoute.useRouteContext();
  const answer = useQuery({ ...startQuery(place), refetchInterval: lookAgain });
  const found = answer.data?.data.app;
  return (
    <div className={styles.page}>
      <h1>Get started with {app.name}</h1>
      {found ? (
        <Steps progress={progressOf(found)} test={place.environment === 'test'} />
      ) : answer.isError ? (
        <Failure error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Waiting height={640} />
      )}
    </div>
  );
}

function Steps({ progress, test }: { progress: Progress; test: boolean }) {
  const { access } = appRoute.useRouteContext();
  const { publishableKey, events, flow, serving, idle } = progress;
  return (
    <ol className={styles.steps}>
      <Step name="Connect your app" done={events > 0}>
        <p>
          {test
            ? 'This is the key of the test environment: data of testers is kept apart from data of customers.'
            : 'This is the key of the live environment: it counts customers.'}
        </p>
        <Snippets publishableKey={publishableKey} />
        <p role="status" className={styles.waiting} data-done={events > 0 || undefined}>
          <i aria-hidden="true" />
          {events > 0
            ? `Connected: ${events.toLocaleString()} ${events === 1 ? 'event has' : 'events have'} arrived.`
            : 'Waiting for the first event. This updates as soon as it arrives.'}
        </p>
      </Step>
      <Step name="Create a flow" done={flow !== undefined}>
        {may(access, 'FLOW_EDIT') ? (
          <BeginFlow flow={flow} />
        ) : (
          <Ask done={flow?.name} what="Only editors can create flows." />
        )}
      </Step>
      <Step name="Publish it to a channel" done={serving !== undefined}>
        {may(access, 'FLOW_PUBLISH') && may(access, 'CHANNEL_MANAGE') ? (
          <PublishFlow flow={flow} serving={serving} idle={idle} />
        ) : (
          <Ask done={serving?.name} what="Only editors can publish flows." />
        )}
      </Step>
      <Step name="Preview it" done={false}>
        <OpenFlow serving={serving} publishableKey={publishableKey} />
      </Step>
    </ol>
  );
}

function Step({ name, done, children }: { name: string; done: boolean; children: ReactNode }) {
  return (
    <li className={styles.step} data-done={done || undefined}>
      <h2>
        {name}
        {done && (
          <span className={styles.done}>
            <Icon name="check" /> done
          </span>
        )}
      </h2>
      <div className={styles.body}>{children}</div>
    </li>
  );
}

/** For those whose role may only look. */
function Ask({ done, what }: { done: string | undefined; what: string }) {
  return <p>{done ?? what}</p>;
}
