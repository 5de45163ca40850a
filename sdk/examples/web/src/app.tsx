import {
  Flow,
  type FlowTerminalSnapshot,
  logEvent,
  reset,
  type SvcConfig,
  SvcProvider,
  setAnalyticsConsent,
  useSvcPrefetch,
} from '@svc/react';
import { useCallback, useMemo, useState } from 'react';
import { signIn, signUpOrIn } from './identity';
import { type LogLine, useLog } from './log';
import { goTo, usePath } from './router';
import type { DevService } from './service';

/** The shop: a page for every channel, and a list of what the SDK did. */
export function App({ service }: { service: DevService }) {
  const [userId, setUserId] = useState('');
  const [locale, setLocale] = useState('en');
  const [theme, setTheme] = useState<'light' | 'dark'>('light');
  const { lines, add } = useLog();
  const config = useMemo<SvcConfig>(
    () => ({
      publishableKey: service.publishableKey,
      apiBaseUrl: service.baseUrl,
      locale,
      appVersion: '1.0.0',
      customProperties: { first_name: 'Ana' },
      ...(userId ? { userId } : {}),
    }),
    [service, userId, locale],
  );
  return (
    <SvcProvider
      config={config}
      logLevel="warn"
      onEvent={({ path, event }) => add(path, event.name, event)}
      onError={(report) => add('error', report.code, report)}
    >
      <div className="page">
        <header>
          <button type="button" className="brand" onClick={() => goTo('/')}>
            {service.app}
          </button>
          <label>
            Person
            <input value={userId} placeholder="anonymous" onChange={(event) => setUserId(event.target.value.trim())} />
          </label>
          <label>
            Language
            <select value={locale} onChange={(event) => setLocale(event.target.value)}>
              {['en', 'de', 'ar'].map((code) => (
                <option key={code}>{code}</option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => setTheme(theme === 'light' ? 'dark' : 'light')}>
            {theme === 'light' ? 'Dark' : 'Light'}
          </button>
          <button type="button" onClick={reset}>
            Sign out
          </button>
        </header>
        <main>
          <Page service={service} theme={theme} />
        </main>
        <Consent />
        <Log lines={lines} />
      </div>
    </SvcProvider>
  );
}

function Page({ service, theme }: { service: DevService; theme: 'light' | 'dark' }) {
  const path = usePath();
  const channel = service.channels.find(({ id }) => path === `/flows/${id}`);
  return channel ? <Run key={channel.id} channelId={channel.id} theme={theme} /> : <Channels service={service} />;
}

function Channels({ service }: { service: DevService }) {
  const { prefetch } = useSvcPrefetch();
  return (
    <>
      <h1>Channels of {service.app}</h1>
      <ul className="channels">
        {service.channels.map(({ id, name, state }) => (
          <li key={id}>
            <button type="button" onPointerEnter={() => prefetch(id)} onClick={() => goTo(`/flows/${id}`)}>
              <strong>{name}</strong> <span>{state}</span>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => logEvent('plant_watered', { plant: 'fern', litres: 0.5 })}>
        Water the fern
      </button>
    </>
  );
}

function Run({ channelId, theme }: { channelId: string; theme: 'light' | 'dark' }) {
  const [snapshot, setSnapshot] = useState<FlowTerminalSnapshot | null>(null);
  const finish = useCallback((result: FlowTerminalSnapshot) => setSnapshot(result), []);
  if (snapshot) {
    return (
      <>
        <h1>{snapshot.terminal}</h1>
        <pre id="snapshot">{JSON.stringify(snapshot, null, 2)}</pre>
        <button type="button" onClick={() => setSnapshot(null)}>
          Again
        </button>
      </>
    );
  }
  return (
    <div className="phone">
      <Flow
        channelId={channelId}
        theme={theme}
        onFlowCompleted={finish}
        onFlowAbandoned={finish}
        onOAuthLogin={signIn}
        onEmailPasswordAuth={signUpOrIn}
      />
    </div>
  );
}

function Consent() {
  const [asked, setAsked] = useState(false);
  if (asked) return null;
  const answer = (value: 'granted' | 'denied') => () => {
    setAnalyticsConsent(value);
    setAsked(true);
  };
  return (
    <aside className="consent">
      May we count visits?
      <button type="button" onClick={answer('granted')}>
        Yes
      </button>
      <button type="button" onClick={answer('denied')}>
        No
      </button>
    </aside>
  );
}

function Log({ lines }: { lines: readonly LogLine[] }) {
  return (
    <footer>
      <h2>What the SDK did</h2>
      <ol id="log">
        {lines.map(({ id, path, name, detail }) => (
          <li key={id} title={detail}>
            <code>{path}</code> {name}
          </li>
        ))}
      </ol>
    </footer>
  );
}
