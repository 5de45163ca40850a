import type { AnonymousId } from '../analytics/identity';
import type { Identity } from '../api/types';
import type { SvcConfig } from '../config';

/** Who uses the device, by the host's config and calls, else by the anonymous id of the device. */
export class Person {
  /** What was set by a call: an id, or null for none, and its proof. Undefined means that the config decides. */
  customUserIdCall: readonly [id: string | null, proof?: string] | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly config: () => SvcConfig,
    readonly anonymous: AnonymousId,
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

  /** The person, or whom an event is of, as events name them. */
  identity(appUserId: string = this.appUserId): Omit<Identity, 'sessionId'> {
    return { appUserId, ...this.custom };
  }

  /** Calls back when another person uses the device. Returns the removal. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  announceChange(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
