import { Button } from '@mantine/core';
import type { SignInMethod } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import styles from './AccountPage.module.css';
import { accountChanged, type DashboardSession, endOtherSessionsDocument, endSessionDocument } from './queries';

const methods: Record<SignInMethod, string> = {
  PASSWORD: 'Password',
  CODE: 'Password and code',
  PASSKEY: 'Passkey',
  PROVIDER: 'Single sign-on',
};

/** Where the reader is signed in. */
export function Sessions({ sessions }: { sessions: readonly DashboardSession[] }) {
  const { act, busy, problem } = useAct();
  const change = (run: () => Promise<unknown>, name: string) =>
    void act(async () => {
      await run();
      await accountChanged();
    }, name);
  return (
    <section className={styles.part}>
      <h2>Sessions</h2>
      <ul className={styles.rows}>
        {sessions.map(({ id, current, device, address, method, signedInAt, lastSeenAt }) => (
          <li key={id}>
            <div>
              <b>{device || 'Unknown browser'}</b>
              {current && <em>This browser</em>}
              <small>
                {address} · {methods[method]} · signed in <When at={signedInAt} />
                {!current && (
                  <>
                    {' '}
                    · last seen <When at={lastSeenAt} />
                  </>
                )}
              </small>
            </div>
            {!current && (
              <Button
                variant="subtle"
                loading={busy === id}
                onClick={() => change(() => send(endSessionDocument, { id }), id)}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <Button
          variant="default"
          loading={busy === 'others'}
          onClick={() => change(() => send(endOtherSessionsDocument, {}), 'others')}
        >
          Sign out all others
        </Button>
      )}
      <Problem text={problem} />
    </section>
  );
}
