import {
  type EvaluationContext,
  type JsonValue,
  type Logger,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
  type TrackingEventDetails,
} from '@openfeature/web-sdk';
import { type EventProperties, type ResolvedFlow, SvcClient, type SvcConfig, type SvcErrorReport } from '@svc/core';
import { Exposures, errorCodeOf, evaluate, type FlagKind } from './evaluation';
import { createPlatform } from './platform';

export type { ChannelValue } from './evaluation';

/** Options of {@link SvcWebProvider}. */
export interface SvcWebProviderOptions {
  /** As given to `SvcProvider`. The targeting key of the OpenFeature context wins over `userId`. */
  config: SvcConfig;
  /** Ids of the channels that are asked for. They are loaded before the provider is ready. */
  channels: readonly string[];
  /** What could not be delivered or loaded. */
  onError?: (report: SvcErrorReport) => void;
}

/**
 * OpenFeature provider for browsers. A flag is a channel: its variant and version are what the service serves the
 * person of the evaluation context. The first evaluation of an arm of an experiment records that the person saw it.
 */
export class SvcWebProvider implements Provider {
  readonly metadata = { name: 'svc-web' } as const;
  readonly runsOn = 'client' as const;
  readonly events = new OpenFeatureEventEmitter();
  private readonly client: SvcClient;
  private readonly exposures = new Exposures();
  private readonly failures = new Map<string, unknown>();

  /** @throws SvcConfigError in development builds, when the config cannot work */
  constructor(private readonly options: SvcWebProviderOptions) {
    const { config, onError } = options;
    this.client = new SvcClient({
      platform: createPlatform(),
      config,
      kind: 'web',
      defaultPlatform: 'web',
      ...(onError ? { onError } : {}),
    });
  }

  /** Loads the channels for the person of the context. A channel that cannot be loaded keeps its default value. */
  async initialize(context?: EvaluationContext): Promise<void> {
    this.client.reopen();
    await this.loadFor(context);
  }

  /** Loads the channels for another person. */
  async onContextChange(_: EvaluationContext, context: EvaluationContext): Promise<void> {
    await this.loadFor(context);
  }

  /** Sends what waits. */
  async onClose(): Promise<void> {
    await this.client.close();
  }

  resolveBooleanEvaluation(flagKey: string, defaultValue: boolean): ResolutionDetails<boolean> {
    return this.resolve(flagKey, 'boolean', defaultValue);
  }

  resolveStringEvaluation(flagKey: string, defaultValue: string): ResolutionDetails<string> {
    return this.resolve(flagKey, 'string', defaultValue);
  }

  resolveNumberEvaluation(flagKey: string, defaultValue: number): ResolutionDetails<number> {
    return this.resolve(flagKey, 'number', defaultValue);
  }

  /** The value has the shape of {@link ChannelValue}. */
  resolveObjectEvaluation<T extends JsonValue>(flagKey: string, defaultValue: T, _: EvaluationContext, __: Logger) {
    return this.resolve(flagKey, 'object', defaultValue);
  }

  /** Records a product event. A `value` of the details becomes the property of that name. */
  track(name: string, _: EvaluationContext, details: TrackingEventDetails = {}): void {
    this.client.logEvent(name, details as EventProperties);
  }

  private async loadFor(context: EvaluationContext | undefined): Promise<void> {
    const { config, channels } = this.options;
    const userId = context?.targetingKey ?? config.userId;
    this.client.updateConfig({ ...config, ...(userId ? { userId } : {}) });
    await Promise.all(
      channels.map((channel) =>
        this.client.resolve(channel).then(
          () => void this.failures.delete(channel),
          (error: unknown) => void this.failures.set(channel, error),
        ),
      ),
    );
    this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged: [...channels] });
  }

  private resolve<T>(channelId: string, kind: FlagKind, defaultValue: T): ResolutionDetails<T> {
    const flow = this.client.peek(channelId);
    if (!flow) return this.missing(channelId, defaultValue);
    this.expose(channelId, flow);
    return evaluate(flow, 'memory', kind) as ResolutionDetails<T>;
  }

  private missing<T>(channelId: string, value: T): ResolutionDetails<T> {
    const error = this.failures.get(channelId);
    const errorMessage = error instanceof Error ? error.message : `"${channelId}" is not among the channels`;
    const errorCode = error === undefined ? 'FLAG_NOT_FOUND' : errorCodeOf(error);
    return { value, reason: 'ERROR', errorCode, errorMessage } as ResolutionDetails<T>;
  }

  /** The start of a run that carries an experiment is what its results count as exposure. */
  private expose(channelId: string, flow: ResolvedFlow): void {
    if (this.exposures.isFirst(this.client.appUserId, flow)) this.client.recordExposure(flow, channelId);
  }
}
