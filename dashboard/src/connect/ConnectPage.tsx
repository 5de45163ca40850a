import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Brand } from '../app/session/Brand';
import { explain, Refused } from '../graphql/problems';
import { Approve } from './Approve';
import styles from './ConnectPage.module.css';
import { requestQuery } from './queries';
import type { ConnectProblem } from './search';

const route = getRouteApi('/connect');

const refusals: Record<ConnectProblem, string> = {
  client: 'The program is not known to this server. Remove the server in the program and add it again.',
  address: 'The program asked for an answer at an address that it has not registered. Nothing was sent there.',
  invalid_request: 'The program’s request is incomplete: PKCE with S256 is needed, and a state of at most 1,000 bytes.',
  unsupported_response_type: 'The program asked for a token at once. This server gives codes: response_type=code.',
  invalid_target: 'The program asked for another resource than this server’s /mcp.',
  invalid_scope: 'The program asked for none of the rights that tools can have.',
  server_error: 'The server could not take the request. Begin again in the program.',
};

/** Asks a member whether a program may act for them. */
export function ConnectPage() {
  const { request: token, problem } = route.useSearch();
  const { viewer } = route.useRouteContext();
  const { data, error } = useQuery({ ...requestQuery(token), enabled: problem === undefined });
  if (problem) return <Ended words={refusals[problem]} />;
  if (error instanceof Refused && error.code === 'not_found')
    return <Ended words="This request is unknown or has expired. Begin again in the program." />;
  if (error) {
    const { title, detail } = explain(error);
    return <Ended words={`${title}. ${detail}`} />;
  }
  if (!data) return <main className={styles.page} aria-busy="true" />;
  return (
    <main className={styles.page}>
      <Approve token={token} request={data.data.oauthRequest} viewer={viewer} />
    </main>
  );
}

function Ended({ words }: { words: string }) {
  return (
    <main className={styles.page}>
      <section className={styles.card}>
        <Brand />
        <h1>Not connected</h1>
        <p role="alert">{words}</p>
        <Button component={Link} to="/" variant="default">
          Open the dashboard
        </Button>
      </section>
    </main>
  );
}
