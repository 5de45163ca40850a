import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Brand } from '../app/session/Brand';
import { Failure } from '../ui/Failure';
import { Waiting } from '../ui/Waiting';
import styles from './AccountPage.module.css';
import { Authenticator } from './Authenticator';
import { Closed } from './Closed';
import { Passkeys } from './Passkeys';
import { Password } from './Password';
import { accountQuery } from './queries';
import { Sessions } from './Sessions';

const accountRoute = getRouteApi('/account');

/** How long after a sign-in the server lets somebody change how they sign in. */
const freshness = 15 * 60_000;

/** How the reader signs in, and where they are signed in. */
export function AccountPage() {
  const { viewer } = accountRoute.useRouteContext();
  const answer = useQuery(accountQuery);
  useEffect(() => {
    document.title = 'Account · Svc';
  }, []);
  const { sessions, secondFactor, closedWorkspaces = [] } = answer.data?.data.viewer ?? {};
  const options = answer.data?.data.signInOptions;
  const current = sessions?.find(({ current }) => current);
  const fresh = current !== undefined && Date.now() - Date.parse(current.signedInAt) < freshness;
  return (
    <main className={styles.page}>
      <header>
        <Link to="/">
          <Brand />
        </Link>
        <h1>Account</h1>
        <p>{[viewer.name, viewer.email].filter(Boolean).join(' · ')}</p>
      </header>
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isPending && <Waiting rows={6} />}
      {sessions && secondFactor && options && (
        <>
          <Closed workspaces={closedWorkspaces} provider={options.provider} />
          {!fresh && (
            <p className={styles.notice}>
              You signed in a while ago. To change how you sign in,{' '}
              <Link to="/sign-in" search={{ to: '/account' }}>
                sign in again
              </Link>
              .
            </p>
          )}
          <Passkeys passkeys={secondFactor.passkeys} fresh={fresh} offered={options.passkeys} />
          <Authenticator factor={secondFactor} fresh={fresh} />
          <Password email={viewer.email} />
          <Sessions sessions={sessions} />
        </>
      )}
    </main>
  );
}
