import './frame.css';
import { findExternalSurface, findScreen } from '@svc/core';
import { canGoBack } from '@svc/core/internal';
import { LayerRenderer, MotionProvider } from '@svc/react';
import {
  EmailPasswordAuthProvider,
  OAuthLoginProvider,
  previewOutcomes,
  previewWords,
  useEmailPasswordAuth,
  useOAuthLogin,
} from '@svc/react-core';
import { Component, type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import type { RunPort, RunWindow } from '../port';
import { setClock } from './clock';
import { DraftRun } from './draftRun';

const run = new DraftRun();
const port: RunPort = {
  show(given) {
    setClock(given.clock?.shift ?? 0);
    run.show(given);
  },
  restart: (from) => run.restart(from),
  holds: (expression) => run.holds(expression),
  onTold: () => {},
  onLeave: () => {},
};
(window as RunWindow).svcRun = port;
run.subscribe(() => port.onTold(run.told));

// What leads out of the flow is noted and not followed.
addEventListener('click', (event) => (event.target as Element).closest?.('a[href]') && event.preventDefault(), true);
addEventListener('keydown', (event) => event.key === 'Escape' && !event.defaultPrevented && port.onLeave());
// The dashboard does not ask for it: DraftRun answers.
if ('Notification' in window) Notification.requestPermission = () => Promise.resolve('default');

const respond = run.respond.bind(run);
const fill = { height: '100%' };

/** What the run shows now. */
function Running() {
  const { status, run: count } = useSyncExternalStore(run.subscribe, () => run.told);
  const { state, given } = run;
  if (!given) return null;
  if (!state) return <p>There is no screen yet that the flow could begin with.</p>;
  if (status === 'ended') return <p>The flow ends here.</p>;
  const { manifest, history, pendingExternalSurface, session, responses } = state;
  const surface = pendingExternalSurface && findExternalSurface(manifest, pendingExternalSurface.nodeId);
  if (surface) {
    const words = previewWords(given.locale);
    return (
      <div className="surface">
        <p role="status">
          {words.surface} <bdi>{surface.name ?? surface.config.provider}</bdi>
        </p>
        {previewOutcomes(surface).map((outcome) => (
          <button key={outcome} type="button" onClick={() => run.report(surface.id, outcome)}>
            {words.outcomes[outcome]}
          </button>
        ))}
      </div>
    );
  }
  const screen = findScreen(manifest, state.currentScreenId);
  if (!screen) return null;
  const { locale, platform, sdkAttributes } = session;
  return (
    <Undrawable subject={screen}>
      <MotionProvider reduced={given.reduced || undefined}>
        <LayerRenderer
          manifest={manifest}
          screen={screen}
          locale={given.locale}
          theme={given.theme}
          mediaMap={given.mediaMap}
          branding={given.branding as never}
          interpolationContext={{ responses, canGoBack: canGoBack(state), sdkAttributes, locale, platform }}
          onRespond={respond}
          onExternalLink={(link) => run.follow(link)}
          visit={`${count} ${history.length}`}
          style={fill}
        />
      </MotionProvider>
    </Undrawable>
  );
}

/** Signs nobody in: every attempt succeeds, so that the screens behind it can be seen. */
function SignsIn({ children }: { children: ReactNode }) {
  const oauth = useOAuthLogin();
  const email = useEmailPasswordAuth();
  useEffect(() => oauth.attach(({ resolve }) => resolve({ success: true })), [oauth]);
  useEffect(() => email.attach(({ resolve }) => resolve({ success: true })), [email]);
  return children;
}

type UndrawableProps = { subject: unknown; children: ReactNode };

/** A draft can be wrong in ways that nothing can be drawn of; another one is tried anew. */
class Undrawable extends Component<UndrawableProps, { failed: boolean; subject: unknown }> {
  override state = { failed: false, subject: this.props.subject };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  static getDerivedStateFromProps({ subject }: UndrawableProps, state: { subject: unknown }) {
    return subject === state.subject ? null : { failed: false, subject };
  }
  override render() {
    return this.state.failed ? <p>This screen is not finished and cannot be shown.</p> : this.props.children;
  }
}

// What the boundary caught is said in place; the console is for what nobody expects.
createRoot(document.getElementById('root')!, { onCaughtError: () => {} }).render(
  <OAuthLoginProvider respond={respond}>
    <EmailPasswordAuthProvider respond={respond}>
      <SignsIn>
        <Running />
      </SignsIn>
    </EmailPasswordAuthProvider>
  </OAuthLoginProvider>,
);
