import type { AnonymousId } from '../analytics/identity';
import type { ResolveSubject } from '../api/resolver';
import type { Identity } from '../api/types';
import type { SvcConfig, SvcPlatform } from '../config';
import { Listeners } from '../host/listeners';
import type { Platform } from '../host/platform';
import { configContext } from '../run/build-event';
import type { FlowEventContext } from '../run/flow-event';

/**
 * Who uses the device, by the host's config and calls, else by the anonymous id of the device, and on what: as requests
 * and events name them.
 */
export class Person {
  /** What was set by a call: an id, or null for none, and its proof. Undefined means that the config decides. */
  customUserIdCall: readonly [id: string | null, proof?: string] | undefined;
  /** Told when another person uses the device. */
  readonly changes = new Listeners();

  constructor(
    readonly platform: Platform,
    readonly config: () => SvcConfig,
    readonly anonymous: AnonymousId,
    private readonly defaultPlatform: SvcPlatform,
  ) {}

  /** The id that flows and events go by: the host's, else the anonymous one of this device. */
  get appUserId(): string {
    return this.config().userId?.trim() || this.anonymous.get();
  }

  /** The id in the host's own system, with what proves it. */
  get custom(): Pick<Identity, 'customUserId' | 'customUserIdProof'> {
    const { customUserId, customUserIdProof } = this.config();
    const [id, proof] = this.customUserIdCall ?? [customUserId, customUserIdProof];
    return id ? { customUserId: id, ...(proof ? { customUserIdProof: proof } : {}) } : {};
  }

  /** Takes the person's id in the host's own system for later events; null or blank takes it away. */
  setCustomUserId(id: string | null | undefined, proof?: string): void {
    this.customUserIdCall = [id?.trim() || null, proof];
  }

  /** The person of now, or whom something is of. */
  identity(appUserId: string = this.appUserId): Identity {
    const { sessionId } = this.config();
    return { appUserId, ...this.custom, ...(sessionId ? { sessionId } : {}) };
  }

  /** What runs and events name as their platform. */
  get operatingSystem(): SvcPlatform {
    return this.config().platform ?? this.defaultPlatform;
  }

  /** The app and the device, as events name them. */
  device(): FlowEventContext & { platform: SvcPlatform } {
    return { ...configContext(this.config()), platform: this.operatingSystem };
  }

  /** For whom a channel is resolved. */
  subject(appUserId?: string): ResolveSubject {
    const { customProperties: _, ...device } = this.device();
    return { identity: this.identity(appUserId), ...device };
  }
}
