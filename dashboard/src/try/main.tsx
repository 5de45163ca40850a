import './try.css';
import { Flow, type FlowTerminalSnapshot, type SvcConfig, SvcProvider } from '@svc/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const asked = new URLSearchParams(location.search);
const publishableKey = asked.get('key') ?? '';
const channel = asked.get('channel') ?? '';

// Whoever tries a flow here has made it, or was given it to try: what they do is counted.
const config: SvcConfig = { publishableKey, apiBaseUrl: location.origin, analytics: { consent: 'granted' } };

/** Runs what a channel serves, as an app with that key would: the smallest app there is. */
function Try() {
  const [run, setRun] = useState(1);
  const [end, setEnd] = useState<FlowTerminalSnapshot['terminal']>();
  if (!publishableKey || !channel) {
    return <p>The address lacks the key of an app or the id of a channel: ?key=…&channel=…</p>;
  }
  if (end) {
    return (
      <main>
        <p>{end === 'completed' ? 'The flow is completed. Your app goes on from here.' : 'The flow was left.'}</p>
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

createRoot(document.getElementById('root')!).render(<Try />);
