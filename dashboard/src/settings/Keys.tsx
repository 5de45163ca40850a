import { Button, CopyButton } from '@mantine/core';
import { useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { explain } from '../graphql/problems';
import type { EnvironmentKind } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { revokeDocument, rotateDocument, type SettingsApp, settingsChanged } from './queries';
import styles from './SettingsPage.module.css';

/** The publishable keys of an app. A new one works beside the old until that is revoked. */
export function Keys({ app, access }: { app: SettingsApp; access: WorkspaceAccess }) {
  const [problem, setProblem] = useState('');
  const [revoking, setRevoking] = useState('');
  const editable = may(access, 'APP_SETTINGS');
  const act = async (change: () => Promise<unknown>) => {
    setProblem('');
    try {
      await change();
      await settingsChanged();
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    }
  };
  const rotate = (environment: EnvironmentKind) => act(() => send(rotateDocument, { app: app.id, environment }));
  const revoke = (id: string) => {
    // Apps with the key stop at once: the first click asks.
    if (revoking !== id) return setRevoking(id);
    setRevoking('');
    return act(() => send(revokeDocument, { id }));
  };
  return (
    <>
      {app.environments.map(({ kind, publishableKeys }) => (
        <section key={kind} className={styles.group}>
          <h3>{kind === 'LIVE' ? 'Live' : 'Test'}</h3>
          <ul className={styles.rows}>
            {publishableKeys?.nodes.map(({ id, key, revokedAt }) => (
              <li key={id}>
                <code>{key}</code>
                {revokedAt ? (
                  <span>revoked</span>
                ) : (
                  <>
                    <CopyButton value={key}>
                      {({ copied, copy }) => (
                        <Button variant="subtle" onClick={copy}>
                          {copied ? 'Copied' : 'Copy'}
                        </Button>
                      )}
                    </CopyButton>
                    {editable && (
                      <Button variant="subtle" color="red" onClick={() => void revoke(id)}>
                        {revoking === id ? 'Apps with this key stop working. Revoke?' : 'Revoke'}
                      </Button>
                    )}
                  </>
                )}
              </li>
            ))}
          </ul>
          {editable && (
            <Button variant="default" onClick={() => void rotate(kind)}>
              New {kind === 'LIVE' ? 'live' : 'test'} key
            </Button>
          )}
        </section>
      ))}
      <p className={styles.problem} role="alert">
        {problem}
      </p>
    </>
  );
}
