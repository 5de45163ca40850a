import { Button, Switch } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { queryClient } from '../graphql/query';
import type { UpdateWebhookEndpointInput, WebhookState } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Failure } from '../ui/Failure';
import { Problem } from '../ui/Problem';
import { Secret } from '../ui/Secret';
import { SegmentedControl } from '../ui/SegmentedControl';
import { useAct } from '../ui/useAct';
import { Waiting } from '../ui/Waiting';
import { When } from '../ui/When';
import styles from './Automations.module.css';
import {
  automationsChanged,
  type Delivery,
  deliveriesQuery,
  type Endpoint,
  replayDocument,
  retireEndpointDocument,
  rotateEndpointDocument,
  updateEndpointDocument,
} from './queries';

const automationsRoute = getRouteApi('/apps/$app/$environment/automations');

/** One endpoint: whether it gets messages, what signs them, and each message with its attempts. */
export function EndpointDetail({ endpoint, access }: { endpoint: Endpoint; access: WorkspaceAccess }) {
  const { id, url, enabled, failingSince, secrets, notifications } = endpoint;
  const [secret, setSecret] = useState('');
  const { busy, problem, run } = useAct();
  const update = (changes: Omit<UpdateWebhookEndpointInput, 'id'>) =>
    run(async () => {
      await send(updateEndpointDocument, { input: { id, ...changes } });
      await automationsChanged();
    });
  const rotate = async () => {
    const made = await run(() => send(rotateEndpointDocument, { id }));
    if (made) setSecret(made.data.rotateWebhookSecret.secret);
    await automationsChanged();
  };
  return (
    <div className={styles.cards}>
      <section className={styles.section}>
        <span className={styles.quiet}>{url}</span>
        {failingSince && (
          <p className={styles.note}>
            Every message failed since <When at={failingSince} />.
          </p>
        )}
        {may(access, 'ENGAGE_MANAGE') && (
          <>
            <Switch
              label="Enabled"
              description="Disabled: pending messages are dropped."
              checked={enabled}
              disabled={busy !== ''}
              onChange={(event) => void update({ enabled: event.currentTarget.checked })}
            />
            {may(access, 'WORKSPACE_MANAGE') && (
              <Switch
                label="Also receives workspace notifications"
                checked={notifications}
                disabled={busy !== ''}
                onChange={(event) => void update({ notifications: event.currentTarget.checked })}
              />
            )}
            {secret ? (
              <Secret name="Secret" value={secret} close={() => setSecret('')}>
                Messages are signed with it and with the previous one, until that is retired.
              </Secret>
            ) : (
              <div className={styles.row}>
                <Button variant="default" loading={busy !== ''} onClick={() => void rotate()}>
                  Roll secret
                </Button>
                {secrets > 1 && (
                  <Button
                    variant="default"
                    loading={busy !== ''}
                    onClick={() =>
                      void run(async () => {
                        await send(retireEndpointDocument, { id });
                        await automationsChanged();
                      })
                    }
                  >
                    Retire old secret
                  </Button>
                )}
              </div>
            )}
          </>
        )}
        <Problem text={problem} />
      </section>
      {may(access, 'CUSTOMERS_READ') && <Deliveries endpoint={id} replays={may(access, 'ENGAGE_SEND')} />}
    </div>
  );
}

const states = { pending: 'PENDING', delivered: 'DELIVERED', failed: 'FAILED' } as const satisfies Record<
  string,
  WebhookState
>;

function Deliveries({ endpoint, replays }: { endpoint: string; replays: boolean }) {
  const { messages } = automationsRoute.useSearch();
  const navigate = automationsRoute.useNavigate();
  const state = messages && states[messages];
  const answer = useInfiniteQuery(deliveriesQuery(endpoint, state));
  const { busy, problem, run } = useAct();
  const replay = (deliveryId?: string) =>
    run(async () => {
      const one = deliveryId ? { deliveryId } : { state: 'FAILED' as const };
      await send(replayDocument, { input: { endpointId: endpoint, ...one } });
      await queryClient.invalidateQueries({ queryKey: ['WebhookDeliveries', endpoint] });
    });
  const rows = answer.data?.pages.flat();
  return (
    <section className={styles.section}>
      <h2>Messages of the last 30 days</h2>
      <div className={styles.row}>
        <SegmentedControl
          size="xs"
          aria-label="Status"
          value={messages ?? ''}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, messages: value === '' ? undefined : (value as keyof typeof states) }),
              resetScroll: false,
            })
          }
          data={[
            { value: '', label: 'All' },
            { value: 'pending', label: 'Pending' },
            { value: 'delivered', label: 'Delivered' },
            { value: 'failed', label: 'Failed' },
          ]}
        />
        <Button variant="subtle" onClick={() => void answer.refetch()}>
          Refresh
        </Button>
        {replays && messages === 'failed' && (rows?.length ?? 0) > 0 && (
          <Button variant="default" loading={busy !== ''} onClick={() => void replay()}>
            Resend all failed
          </Button>
        )}
      </div>
      <Problem text={problem} />
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {!rows && !answer.isError && <Waiting rows={6} />}
      {rows && (
        <ul className={styles.list}>
          {rows.map((delivery) => (
            <Message
              key={delivery.id}
              delivery={delivery}
              replay={replays ? () => void replay(delivery.id) : undefined}
            />
          ))}
          {rows.length === 0 && <li>No messages.</li>}
        </ul>
      )}
      {answer.hasNextPage && (
        <Button variant="default" loading={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()}>
          Show older
        </Button>
      )}
    </section>
  );
}

function Message({ delivery, replay }: { delivery: Delivery; replay: (() => void) | undefined }) {
  const { state, node, appUserId, createdAt, nextAttemptAt, body, webhookId, log } = delivery;
  const [open, setOpen] = useState(false);
  const name = state.toLowerCase();
  return (
    <li>
      <div className={styles.line}>
        <span className={styles.state} data-state={name}>
          {name}
        </span>
        <b>{appUserId || 'notification'}</b>
        <small>{[node, log[0] && outcome(log[0])].filter(Boolean).join(' · ')}</small>
        <When at={createdAt} />
      </div>
      <div className={styles.row}>
        <Button variant="subtle" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide' : 'Body and attempts'}
        </Button>
        {replay && name !== 'pending' && (
          <Button variant="subtle" onClick={replay}>
            Resend
          </Button>
        )}
      </div>
      {open && (
        <>
          <small>webhook-id {webhookId}</small>
          <pre className={styles.code}>{pretty(body)}</pre>
          <ol className={styles.list}>
            {log.map((attempt) => (
              <li key={attempt.number}>
                <div className={styles.line}>
                  <span>
                    Attempt {attempt.number}: {outcome(attempt)}, {attempt.tookMs} ms
                  </span>
                  <When at={attempt.at} />
                </div>
                {attempt.answer && <pre className={styles.code}>{attempt.answer}</pre>}
              </li>
            ))}
          </ol>
          {nextAttemptAt && name === 'pending' && (
            <small>
              Next attempt <When at={nextAttemptAt} />
            </small>
          )}
        </>
      )}
    </li>
  );
}

const outcome = ({ status, error }: { status: number; error: string }) => error || `answered ${status}`;

/** JSON on lines of its own; anything else as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
