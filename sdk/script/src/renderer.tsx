import { Flow, type FlowTerminalSnapshot, presentFlow, SvcProvider } from '@svc/react';
import { createRoot } from 'react-dom/client';
import type { Shown } from './flows';
import type { Tracker } from './tracker';

/** What svc.js loads to show flows. */
export type Renderer = { present: typeof present; mount: typeof mount };

/** The provider of a flow: the same server, app and person as the page. The page itself is counted by svc.js. */
function configOf({ settings, shared }: Tracker) {
  return {
    publishableKey: settings.key,
    apiBaseUrl: settings.server,
    analytics: { enabled: false, consent: shared.consent },
    ...(shared.customUserId ? { customUserId: shared.customUserId } : {}),
  };
}

/** Shows the flow of a channel above the page. */
export function present(tracker: Tracker, channel: string, { onEnd, ...shown }: Shown): void {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  root.render(<SvcProvider config={configOf(tracker)}>{null}</SvcProvider>);
  void presentFlow(channel, shown).then((end) => {
    onEnd?.(end);
    root.unmount();
    place.remove();
  });
}

/** Shows the flow of a channel in an element. Returns the end of it. */
export function mount(tracker: Tracker, channel: string, element: HTMLElement): () => void {
  const root = createRoot(element);
  const ended = (snapshot: FlowTerminalSnapshot) =>
    element.dispatchEvent(new CustomEvent('svc-end', { detail: snapshot, bubbles: true }));
  root.render(
    <SvcProvider config={configOf(tracker)}>
      <Flow channelId={channel} onFlowCompleted={ended} onFlowAbandoned={ended} />
    </SvcProvider>,
  );
  return () => root.unmount();
}
