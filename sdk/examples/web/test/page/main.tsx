import { buildSdkEvent, LayerRenderer, type SvcConfig, SvcProvider, useEventQueue, useFlow } from '@svc/react';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { loadService } from '../../src/service';

declare global {
  interface Window {
    leaving: {
      /** Queues events of more than 200 kB on three channels. */
      fill(): { queued: number; eventIds: string[] };
      /** Ends the run. */
      end(): void;
    };
  }
}

const EVENTS = 60;
const PADDING = 'x'.repeat(4_000);

const service = await loadService();
if (!service) throw new Error('the service does not run');
const channels = service.channels.filter(({ state }) => state === 'pinned').slice(0, 3);
const main = channels.find(({ name }) => name === 'Onboarding');
if (!main || channels.length < 3) throw new Error('three channels are needed, one of them Onboarding');

const config: SvcConfig = {
  publishableKey: service.publishableKey,
  apiBaseUrl: service.baseUrl,
  userId: 'leaving-visitor',
  analytics: { consent: 'denied' },
};

function Run({ channelId }: { channelId: string }) {
  const run = useFlow({ channelId });
  const queue = useEventQueue();
  const { flow, respond } = run;
  useEffect(() => {
    if (!flow) return;
    const { flowId, versionId, assignmentVersion } = flow;
    window.leaving = {
      fill: () => {
        let queued = 0;
        const eventIds: string[] = [];
        for (let i = 0; i < EVENTS; i += 1) {
          const properties = { field_key: 'padding', value: PADDING };
          const event = buildSdkEvent(config, {
            name: 'text_submitted',
            properties,
            flowId,
            versionId,
            assignmentVersion,
          });
          queued += JSON.stringify(event).length;
          eventIds.push(event.eventId);
          queue.enqueue(event, { channelId: channels[i % channels.length]?.id ?? channelId });
        }
        return { queued, eventIds };
      },
      end: () => void respond({ kind: 'end_flow' }),
    };
  }, [flow, queue, respond, channelId]);
  if (!run.manifest || !run.screen) return null;
  return <LayerRenderer manifest={run.manifest} screen={run.screen} mediaMap={run.mediaMap} />;
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <SvcProvider config={config}>
    <Run channelId={main.id} />
  </SvcProvider>,
);
