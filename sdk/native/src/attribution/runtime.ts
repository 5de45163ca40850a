import type { AsyncKeyValueStore, AttributionAttributes, KeyValueStore, MaybePromise, ResolvedFlow } from '@svc/core';
import type { SessionAttribution } from '@svc/core/internal';
import { hasAttributionSignal, Listeners } from '@svc/core/internal';
import { SESSION_ATTRIBUTION_KEY } from '../host/preloaded-store';
import { APPSFLYER_PROVIDER_ID } from './appsflyer-payload';
import type { AttributionProvider } from './providers';
import {
  type AttributionSnapshot,
  flattenAttributionSnapshot,
  mergeAttributionSnapshots,
  snapshotHasSignal,
} from './snapshot';

/** How long a kept snapshot stands in for one of this launch, in ms. */
export const DEFAULT_ATTRIBUTION_CACHE_TTL_MS = 86_400_000;
/** Longest namespace of a storage key, in UTF-16 code units. */
const MAX_NAMESPACE_LENGTH = 180;

/** Key under which a person's last snapshot is kept on the device (wire.md §10.3). */
export function buildAttributionStorageKey(namespace: string): string {
  return `svc.attribution.cache.v1.${namespace.trim().slice(0, MAX_NAMESPACE_LENGTH) || 'anonymous'}`;
}

export interface AttributionRuntimeOptions {
  providers: readonly AttributionProvider[];
  /** Whose snapshots are kept; usually the app user id. */
  namespace: () => MaybePromise<string>;
  /** Where snapshots outlive the launch; null for nowhere. */
  storage: Pick<AsyncKeyValueStore, 'getItem' | 'setItem'> | null;
  /** Default {@link DEFAULT_ATTRIBUTION_CACHE_TTL_MS}. */
  cacheTtlMs?: number;
  /** Milliseconds since 1970; default: the system's clock. */
  now?: () => number;
  /** Where the snapshot of the current product session is kept. */
  session?: KeyValueStore;
}

/**
 * Listens to attribution providers and keeps what they said, for product sessions and for the runs of flows. A
 * snapshot of this launch beats a kept one.
 */
export class AttributionRuntime implements SessionAttribution {
  private live: AttributionSnapshot | null = null;
  private kept: AttributionSnapshot | null = null;
  private ends: (() => void)[] = [];
  private readonly listeners = new Listeners();
  private readonly waiting = new Set<(attributes: AttributionAttributes) => void>();

  constructor(private readonly options: AttributionRuntimeOptions) {}

  /** Whether a provider is there to wait for. */
  get isAvailable(): boolean {
    return this.options.providers.some((provider) => provider.isAvailable());
  }

  /** Begins to listen and reads what was kept. Does nothing where no provider is there. */
  start(): void {
    if (this.ends.length > 0) return;
    const providers = this.options.providers.filter((provider) => provider.isAvailable());
    if (providers.length === 0) return;
    void this.readKept();
    this.ends = providers.map((provider) => provider.start((snapshot) => this.take(snapshot)));
  }

  /** Stops listening. What is known stays known. */
  stop(): void {
    for (const end of this.ends.splice(0)) end();
  }

  /** Stops listening and forgets what is known in memory: the host wants no attribution any more. */
  disable(): void {
    this.stop();
    this.live = null;
    this.kept = null;
    this.listeners.tell();
  }

  /** Another person uses the device: what was kept for the former is not theirs. */
  async changeNamespace(): Promise<void> {
    this.kept = null;
    if (this.ends.length > 0) await this.readKept();
  }

  /** What is known, of this launch or else of an earlier one; null when nothing is. */
  get snapshot(): AttributionSnapshot | null {
    return this.live ?? this.kept;
  }

  /** What is known under the canonical keys; empty when nothing is. */
  get attributes(): AttributionAttributes {
    return this.snapshot ? flattenAttributionSnapshot(this.snapshot) : {};
  }

  onChange = this.listeners.add;

  begin(sessionId: string): MaybePromise<AttributionAttributes> {
    if (this.ends.length === 0) return this.freeze(sessionId, this.attributes);
    if (this.live) return this.freeze(sessionId, this.attributes);
    return new Promise((resolve) => {
      this.waiting.add((attributes) => resolve(this.freeze(sessionId, attributes)));
    });
  }

  giveUp(sessionId: string): AttributionAttributes {
    this.waiting.clear();
    return this.freeze(sessionId, this.attributes);
  }

  restore(sessionId: string): AttributionAttributes | undefined {
    try {
      const kept = JSON.parse(this.options.session?.getItem(SESSION_ATTRIBUTION_KEY) ?? 'null') as {
        sessionId?: unknown;
        attrs?: unknown;
      } | null;
      if (kept?.sessionId !== sessionId || typeof kept.attrs !== 'object' || kept.attrs === null) return undefined;
      return kept.attrs as AttributionAttributes;
    } catch {
      return undefined;
    }
  }

  /** What runs of a flow see: nothing where the service has switched attribution off (wire.md §3.4). */
  forRun({ features, integrations }: Pick<ResolvedFlow, 'features' | 'integrations'>): AttributionAttributes {
    const { snapshot } = this;
    if (features?.attribution === false) this.stop();
    if (!snapshot || features?.attribution === false) return {};
    if (snapshot.providerId === APPSFLYER_PROVIDER_ID && integrations?.appsflyer?.enabled !== true) return {};
    return flattenAttributionSnapshot(snapshot);
  }

  private freeze(sessionId: string, attrs: AttributionAttributes): AttributionAttributes {
    this.options.session?.setItem(SESSION_ATTRIBUTION_KEY, JSON.stringify({ sessionId, attrs }));
    return attrs;
  }

  private take(snapshot: AttributionSnapshot): void {
    if (!snapshotHasSignal(snapshot)) return;
    this.live = mergeAttributionSnapshots(this.live, snapshot);
    const { attributes } = this;
    for (const resolve of [...this.waiting]) resolve(attributes);
    this.waiting.clear();
    this.listeners.tell();
    void this.keep(this.live);
  }

  private async keep(snapshot: AttributionSnapshot): Promise<void> {
    const { storage, namespace, now = Date.now } = this.options;
    try {
      const text = JSON.stringify({ schemaVersion: 1, cachedAtMs: now(), snapshot });
      await storage?.setItem(buildAttributionStorageKey(await namespace()), text);
    } catch {
      // The next launch asks the provider again.
    }
  }

  private async readKept(): Promise<void> {
    const { storage, namespace, cacheTtlMs = DEFAULT_ATTRIBUTION_CACHE_TTL_MS, now = Date.now } = this.options;
    try {
      const key = buildAttributionStorageKey(await namespace());
      const entry = JSON.parse((await storage?.getItem(key)) ?? 'null') as {
        schemaVersion?: unknown;
        cachedAtMs?: unknown;
        snapshot?: Partial<AttributionSnapshot>;
      } | null;
      const age = now() - Number(entry?.cachedAtMs);
      const { snapshot } = entry ?? {};
      if (entry?.schemaVersion !== 1 || !(age >= 0 && age <= cacheTtlMs)) return;
      if (typeof snapshot?.providerId !== 'string' || typeof snapshot.capturedAtMs !== 'number') return;
      // Somebody else may use the device by now.
      if (key !== buildAttributionStorageKey(await namespace())) return;
      if (!hasAttributionSignal(flattenAttributionSnapshot(snapshot as AttributionSnapshot))) return;
      this.kept = snapshot as AttributionSnapshot;
      if (!this.live) this.listeners.tell();
    } catch {
      // Unreadable is as good as absent.
    }
  }
}

/** Makes a runtime of one's own; a `SvcProvider` has one already. */
export function createAttributionRuntime(options: AttributionRuntimeOptions): AttributionRuntime {
  return new AttributionRuntime(options);
}
