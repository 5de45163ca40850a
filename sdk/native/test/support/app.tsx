import type { ResolvedFlow } from '@svc/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react-native';
import { type ReactNode, StrictMode } from 'react';
import { AppState, type AppStateStatus } from 'react-native';
import { SvcProvider, type SvcProviderProps } from 'svc-flavour';
import { deviceStore } from '../../src/host/native-host';
import { FakeService } from './service';

/** A mounted app on a service in memory; one per test. */
export class TestApp {
  readonly service: FakeService;
  private shown = false;

  constructor(flow: ResolvedFlow) {
    this.service = new FakeService(flow);
  }

  /** The provider around the app, with the service behind it. */
  provider(children: ReactNode, props: Partial<SvcProviderProps> = {}): ReactNode {
    const { config, ...rest } = props;
    return (
      <SvcProvider
        config={{
          publishableKey: 'ob_pk_test_k',
          apiBaseUrl: 'http://10.0.2.2:4000',
          fetcher: (url, init) => this.service.fetch(url, init),
          ...config,
        }}
        {...rest}
      >
        {children}
      </SvcProvider>
    );
  }

  async show(node: ReactNode, { strict = false } = {}): Promise<void> {
    const ui = <>{strict ? <StrictMode>{node}</StrictMode> : node}</>;
    if (this.shown) screen.rerender(ui);
    else render(ui);
    this.shown = true;
    await pass(0);
  }

  async unmount(): Promise<void> {
    screen.unmount();
  }
}

/** Runs timers and promises for this many milliseconds. */
export async function pass(ms: number): Promise<void> {
  await act(async () => {
    await jest.advanceTimersByTimeAsync(ms);
  });
}

export async function tap(label: string): Promise<void> {
  await act(async () => void fireEvent.press(screen.getByText(label)));
  await pass(0);
}

const watchers = new Set<(state: AppStateStatus) => void>();

/** Moves the app to the foreground or the background. */
export async function enter(state: AppStateStatus): Promise<void> {
  await act(async () => {
    for (const watcher of [...watchers]) watcher(state);
  });
  await pass(0);
}

/** Fake time, an app that nobody has opened before, and an `AppState` that `enter` can move. */
export function withFreshDevice(): void {
  beforeEach(() => {
    jest.useFakeTimers({ now: Date.UTC(2026, 10, 21, 10) });
    jest.spyOn(AppState, 'addEventListener').mockImplementation((event, watcher) => {
      if (event === 'change') watchers.add(watcher);
      return { remove: () => void watchers.delete(watcher) } as ReturnType<typeof AppState.addEventListener>;
    });
    for (const key of deviceStore.keys()) deviceStore.removeItem(key);
  });
  afterEach(async () => {
    cleanup();
    await jest.advanceTimersByTimeAsync(100);
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
}
