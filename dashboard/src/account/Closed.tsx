import { Button } from '@mantine/core';
import styles from './AccountPage.module.css';
import type { ClosedWorkspace } from './queries';

/** Workspaces that ask the reader for another sign-in, and how to comply. */
export function Closed({ workspaces, provider }: { workspaces: readonly ClosedWorkspace[]; provider: string }) {
  return workspaces.map(({ id, name, rule }) => (
    <div key={id} className={styles.notice} role="status">
      <p>
        <b>{name}</b>{' '}
        {rule === 'PROVIDER'
          ? `is entered by ${provider || 'single sign-on'} only.`
          : 'asks for a second factor. Add a passkey or an authenticator app below, or sign in with yours.'}
      </p>
      {rule === 'PROVIDER' && provider && (
        <Button component="a" href="/sign-in/provider?to=/">
          {`Continue with ${provider}`}
        </Button>
      )}
    </div>
  ));
}
