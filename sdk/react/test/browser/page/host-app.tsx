import type { FlowTerminalSnapshot, ResolvedFlow, SvcConfig, SvcErrorReport } from '@svc/core';
import { type ReactNode, useEffect, useState } from 'react';
import {
  Flow,
  FlowModal,
  type FlowProps,
  type PresentFlowOptions,
  presentFlow,
  presentFlowLink,
  SvcProvider,
  type SvcProviderProps,
} from '../../../src/index';
import { createTestService, SvcTestProvider, type TestService } from '../../../src/testing';

export interface HostOptions
  extends Pick<FlowProps, 'theme' | 'locale' | 'copy' | 'className'>,
    Pick<SvcProviderProps, 'nonce'> {
  /** What the channel serves; absent: it is unknown. */
  flow?: ResolvedFlow;
  /** Hands the flow over as a server render does. */
  initial?: boolean;
  offline?: boolean;
  /** Talks to the page's own origin instead of a service in memory. */
  config?: Partial<SvcConfig>;
  /** Shows a page with a button that presents the flow this way. */
  present?: Omit<PresentFlowOptions, 'onClosed'>;
  /** Notes where a payment goes instead of going there. */
  holdsPayment?: boolean;
  /** Presents by the component instead of the function. */
  component?: boolean;
}

/** What the page recorded. */
export interface HostRecord {
  results: (FlowTerminalSnapshot | null)[];
  reports: SvcErrorReport[];
  calls: string[];
}

declare global {
  interface Window {
    host: HostRecord;
    service: TestService;
    violations: string[];
    /** Milliseconds from the first render to the frame after the first screen's; not there before. */
    firstFlowMs?: number;
  }
}

export const CHANNEL = 'ch_test_main';

export function testServiceOf({ flow, offline }: HostOptions): TestService {
  const service = createTestService(flow ? { [CHANNEL]: flow } : {});
  service.setOffline(offline ?? false);
  return service;
}

/** An app as hosts write it: a provider, and a flow that fills the page or stands above it. */
export function HostApp({ options, service }: { options: HostOptions; service: TestService }) {
  const { config, nonce } = options;
  const content = options.present ? <Shop options={options} /> : <Filled options={options} />;
  const shared = {
    ...(nonce === undefined ? {} : { nonce }),
    onError: (report: SvcErrorReport) => void window.host.reports.push(report),
  };
  if (config) {
    const apiBaseUrl = typeof window === 'undefined' ? 'http://localhost' : window.location.origin;
    const merged: SvcConfig = {
      publishableKey: 'ob_pk_test_host',
      apiBaseUrl,
      userId: 'ada',
      analytics: { consent: 'granted' },
      ...config,
    };
    return (
      <SvcProvider config={merged} {...shared}>
        {content}
      </SvcProvider>
    );
  }
  return (
    <SvcTestProvider service={service} config={{ userId: 'ada' }} {...shared}>
      {content}
    </SvcTestProvider>
  );
}

function Filled({ options }: { options: HostOptions }): ReactNode {
  const {
    flow,
    initial,
    offline: _,
    config: __,
    present: ___,
    component: ____,
    nonce: _____,
    holdsPayment,
    ...props
  } = options;
  const fallback = options.config ? { fallback: ({ retry }: { retry: () => void }) => <Failure retry={retry} /> } : {};
  const payment = holdsPayment ? { openPaymentLink: (url: string) => void window.host.calls.push(`pay ${url}`) } : {};
  return (
    <>
      {options.config && <h1>Shop</h1>}
      <Flow
        channelId={CHANNEL}
        {...props}
        {...fallback}
        {...payment}
        {...(initial && flow ? { initialData: flow } : {})}
      />
    </>
  );
}

function Failure({ retry }: { retry: () => void }) {
  return (
    <button type="button" id="retry" onClick={retry}>
      Again
    </button>
  );
}

function Shop({ options }: { options: HostOptions }) {
  const [open, setOpen] = useState(false);
  const note = (call: string) => () => void window.host.calls.push(call);
  const presented: PresentFlowOptions = {
    ...options.present,
    onLoaded: note('loaded'),
    onPresented: note('presented'),
    onStep: ({ stepId }) => void window.host.calls.push(`step ${stepId}`),
    onSkipped: (reason) => void window.host.calls.push(`skipped ${reason}`),
    onError: ({ reason }) => void window.host.calls.push(`error ${reason}`),
  };
  const show = async () => {
    if (options.component) setOpen(true);
    else window.host.results.push(await presentFlow(CHANNEL, presented));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as apps do
  useEffect(() => {
    // One task later: StrictMode mounts twice, and the link counts once.
    const timer = setTimeout(async () => {
      if (!/svc\.(channel|preview)/.test(window.location.search)) return;
      const ends = { onFlowCompleted: note('completed'), onFlowAbandoned: note('abandoned') };
      window.host.results.push(await presentFlowLink(undefined, { ...presented, ...ends }));
    }, 0);
    return () => clearTimeout(timer);
  }, []);
  return (
    <main style={{ minHeight: 3000, padding: 24, fontFamily: 'sans-serif' }}>
      <h1>Shop</h1>
      <button type="button" id="open" onClick={() => void show()}>
        See plans
      </button>
      <input id="search" aria-label="Search" />
      {open && (
        <FlowModal
          {...presented}
          channelId={CHANNEL}
          onClosed={(snapshot) => {
            window.host.results.push(snapshot);
            setOpen(false);
          }}
        />
      )}
    </main>
  );
}
