import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Brand } from '../app/session/Brand';
import { Failure } from '../ui/Failure';
import { Waiting } from '../ui/Waiting';
import styles from './AccountPage.module.css';
import { Authenticator } from './Authenticator';
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
  const { sessions, secondFactor } = answer.data?.data.viewer ?? {};
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
      {sessions && secondFactor && (
        <>
          {!fresh && (
            <p className={styles.notice}>
              You signed in a while ago. To change your second factor,{' '}
              <Link to="/sign-in" search={{ to: '/account' }}>
                sign in again
              </Link>
              .
            </p>
          )}
          <Authenticator factor={secondFactor} fresh={fresh} />
          <Password email={viewer.email} />
          <Sessions sessions={sessions} />
        </>
      )}
    </main>
  );
}
