import type {
  PermissionOutcome,
  Platform,
  ResolvedFlow,
  SdkLogLevel,
  SvcClient,
  SvcConfig,
  SvcErrorReport,
  SvcEvent,
} from '@svc/core';
import type { Palette, ResumableRun } from '@svc/core/internal';

/** What buttons ask of the operating system or the browser. */
export interface PlatformActions {
  /** Asks for a permission by its key in the manifest. Never rejects. */
  requestPermission(key: string): Promise<PermissionOutcome>;
  /**
   * Asks for a review of the app and settles once the prompt is out of the way; `shown` says whether there was one.
   * Never rejects. Absent where there are no such prompts.
   */
  requestReview?(): Promise<{ shown: boolean }>;
}

/** Callbacks of the provider's latest render; the client outlives renders. */
export interface ProviderCallbacks {
  onError?: (report: SvcErrorReport) => void;
  onEvent?: (event: SvcEvent) => void;
}

/** The palette that the device is set to, as it is and as it changes. */
export interface ColorScheme {
  current: () => Palette;
  /** Calls back when it changes. Returns the removal. */
  subscribe: (listener: () => void) => () => void;
}

/** A client with what its host adds to it, and a life that React's double mount does not end. */
export interface HostClient {
  readonly client: SvcClient;
  readonly platform: Platform;
  readonly actions: PlatformActions;
  callbacks: ProviderCallbacks;
  /** Takes the module functions and begins to listen to the host. */
  mount(): void;
  /** Lets go, unless `mount` follows at once. */
  unmount(): void;
  /** The palette that the device is set to; absent where it cannot be known, which counts as light. */
  readonly colorScheme?: ColorScheme;
  /** A run of this channel that waits for something outside of the app, if the host keeps any. */
  resume?(channelId: string): ResumableRun | null;
}

export interface HostClientOptions {
  logLevel?: SdkLogLevel;
  /** Resolve answers by channel for when there is nothing better. */
  bundled?: Readonly<Record<string, ResolvedFlow>>;
}

/** Makes the client of a provider. */
export type HostClientFactory = (config: SvcConfig, options: HostClientOptions) => HostClient;
