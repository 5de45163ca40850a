import './try.css';
import { Flow, type FlowTerminalSnapshot, type SvcConfig, SvcProvider } from '@svc/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const asked = new URLSearchParams(location.search);
const app = asked.get('app') ?? '';
const kind = asked.get('environment') === 'test' ? 'TEST' : 'LIVE';
const channel = asked.get('channel') ?? '';

/** The key of the environment, which the server gives to members of the app only: nobody is shown the flow of somebody
 * else, below the address that they sign in at, by a link. */
async function readKey(): Promise<string | undefined> {
  const answer = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({
      query: `query ($app: ID!, $kind: EnvironmentKind!) {
        app(id: $app) { environment(kind: $kind) { publishableKeys(first: 1) { nodes { key } } } }
      }`,
      variables: { app, kind },
    }),
  });
  const { data } = (await answer.json()) as {
    data?: { app?: { environment?: { publishableKeys?: { nodes: { key: string }[] } } } };
  };
  return data?.app?.environment?.publishableKeys?.nodes[0]?.key;
}

/** Runs what a channel serves, as an app with that key would: the smallest app there is. */
function Try({ publishableKey }: { publishableKey: string }) {
  // Whoever tries a flow here has made it, or was given it to try: what they do is counted.
  const [config] = useState<SvcConfig>({
    publishableKey,
    apiBaseUrl: location.origin,
    analytics: { consent: 'granted' },
  });
  const [run, setRun] = useState(1);
  const [end, setEnd] = useState<FlowTerminalSnapshot['terminal']>();
  if (end) {
    return (
      <main>
        <p>{end === 'completed' ? 'Flow completed. Your app continues from here.' : 'Flow closed.'}</p>
        <button
          type="button"
          onClick={() => {
            setEnd(undefined);
            setRun(run + 1);
          }}
        >
          Again
        </button>
      </main>
    );
  }
  const ended = ({ terminal }: FlowTerminalSnapshot) => setEnd(terminal);
  return (
    <SvcProvider config={config}>
      <Flow key={run} channelId={channel} theme="system" onFlowCompleted={ended} onFlowAbandoned={ended} />
    </SvcProvider>
  );
}

const key = await readKey().catch(() => undefined);
createRoot(document.getElementById('root')!).render(
  key && channel ? (
    <Try publishableKey={key} />
  ) : (
    <p>No flow to show: sign in to the dashboard and open the flow from its page.</p>
  ),
);
