import type {
  EvaluationContext,
  JsonValue,
  Logger,
  Provider,
  ResolutionDetails,
  TrackingEventDetails,
} from '@openfeature/server-sdk';
import {
  type EventProperties,
  type ResolveResult,
  type SvcConfig,
  type SvcErrorReport,
  SvcServerClient,
} from '@svc/core';
import { Exposures, errorCodeOf, evaluate, type FlagKind } from './evaluation';
import { createPlatform } from './platform';

export type { ChannelValue } from './evaluation';

/** Options of {@link SvcServerProvider}. */
export interface SvcServerProviderOptions {
  /** Without `userId`: the person is the targeting key of each evaluation. */
  config: Omit<SvcConfig, 'userId' | 'customUserId' | 'customUserIdProof' | 'sessionId' | 'persistence'>;
  /** How long an answer for a person is reused, in ms. Default 30,000. */
  cacheMs?: number;
  /** Most answers that are kept. Default 10,000. */
  cacheEntries?: number;
  /** What could not be delivered or loaded. */
  onError?: (report: SvcErrorReport) => void;
}

interface Answer {
  result: Promise<ResolveResult>;
  /** Milliseconds since 1970. */
  until: number;
}

/**
 * OpenFeature provider for servers. A flag is a channel: its variant and version are what the service serves the
 * person whose id is the targeting key. The first evaluation of an arm of an experiment records that the person saw it.
 */
export class SvcServerProvider implements Provider {
  readonly metadata = { name: 'svc-server' } as const;
  readonly runsOn = 'server' as const;
  private readonly client: SvcServerClient;
  private readonly exposures = new Exposures();
  private readonly answers = new Map<string, Answer>();

  /** @throws SvcConfigError in development builds, when the config cannot work */
  constructor(private readonly options: SvcServerProviderOptions) {
    const { config, onError } = options;
    this.client = new SvcServerClient({
      platform: createPlatform(),
      config,
      // A server asks for no consent: it records what its caller evaluates.
      kind: 'app',
      defaultPlatform: 'web',
      ...(onError ? { onError } : {}),
    });
  }

  async initialize(): Promise<void> {
    this.client.reopen();
  }

  /** Sends what waits. */
  async onClose(): Promise<void> {
    await this.client.close();
  }

  resolveBooleanEvaluation(flagKey: string, defaultValue: boolean, context: EvaluationContext) {
    return this.resolve(flagKey, 'boolean', defaultValue, context);
  }

  resolveStringEvaluation(flagKey: string, defaultValue: string, context: EvaluationContext) {
    return this.resolve(flagKey, 'string', defaultValue, context);
  }

  resolveNumberEvaluation(flagKey: string, defaultValue: number, context: EvaluationContext) {
    return this.resolve(flagKey, 'number', defaultValue, context);
  }

  /** The value has the shape of {@link ChannelValue}. */
  resolveObjectEvaluation<T extends JsonValue>(flagKey: string, value: T, context: EvaluationContext, _: Logger) {
    return this.resolve(flagKey, 'object', value, context);
  }

  /** Sends an event that may start automations, in the name of the context's person. */
  track(name: string, context: EvaluationContext, details: TrackingEventDetails = {}): void {
    if (context.targetingKey) this.client.trackFor(context.targetingKey, name, details as EventProperties);
  }

  private async resolve<T>(
    channelId: string,
    kind: FlagKind,
    value: T,
    { targetingKey, locale, appVersion }: EvaluationContext,
  ): Promise<ResolutionDetails<T>> {
    if (!targetingKey) {
      const errorMessage = 'the targeting key, which is the id of the person, is missing';
      return { value, reason: 'ERROR', errorCode: 'TARGETING_KEY_MISSING', errorMessage } as ResolutionDetails<T>;
    }
    try {
      const given = {
        ...(typeof locale === 'string' ? { locale } : {}),
        ...(typeof appVersion === 'string' ? { appVersion } : {}),
      };
      const { flow, source } = await this.load(channelId, targetingKey, given);
      if (this.exposures.isFirst(targetingKey, flow)) this.client.recordExposure(flow, channelId, targetingKey);
      return evaluate(flow, source, kind) as ResolutionDetails<T>;
    } catch (error) {
      const errorMessage = error instanceof Error ? error.message : String(error);
      return { value, reason: 'ERROR', errorCode: errorCodeOf(error), errorMessage } as ResolutionDetails<T>;
    }
  }

  private load(
    channelId: string,
    appUserId: string,
    context: { locale?: string; appVersion?: string },
  ): Promise<ResolveResult> {
    const { cacheMs = 30_000, cacheEntries = 10_000 } = this.options;
    const key = JSON.stringify([channelId, appUserId, context]);
    const kept = this.answers.get(key);
    if (kept && kept.until > Date.now()) return kept.result;
    const result = this.client.resolveFor(appUserId, channelId, context);
    this.answers.delete(key);
    this.answers.set(key, { result, until: Date.now() + cacheMs });
    // A failure is not kept: the next evaluation asks again.
    result.catch(() => this.answers.delete(key));
    if (this.answers.size > cacheEntries) for (const oldest of this.answers.keys()) return this.evict(oldest, result);
    return result;
  }

  private evict<T>(key: string, result: T): T {
    this.answers.delete(key);
    return result;
  }
}
