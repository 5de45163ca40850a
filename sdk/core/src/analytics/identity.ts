import { uuidV4 } from '../host/ids';
import type { KeyValueStore, Platform } from '../host/platform';
import { PERSISTED_APP_USER_ID_KEY } from './storage-keys';

/** The anonymous id of this device. Until it may be kept, it lives in memory and the store is not even read. */
export class AnonymousId {
  private id: string | null = null;

  constructor(
    private readonly platform: Platform,
    private readonly store: KeyValueStore,
    private persistent: boolean,
  ) {}

  get(): string {
    if (this.persistent) {
      // Another tab may have written first, and one device has one id.
      const stored = this.store.getItem(PERSISTED_APP_USER_ID_KEY)?.trim();
      if (stored) this.id = stored;
      else {
        this.id ??= uuidV4(this.platform);
        this.store.setItem(PERSISTED_APP_USER_ID_KEY, this.id);
      }
    }
    this.id ??= uuidV4(this.platform);
    return this.id;
  }

  /** Lets the id be kept: a stored one is adopted, else the one in memory is written. */
  persist(): void {
    this.persistent = true;
    this.get();
  }

  /** Keeps the id in memory only from now on. The caller removes what is stored. */
  forgetStored(): void {
    this.persistent = false;
  }

  /** Starts over as somebody new. */
  reset(): void {
    this.id = null;
    if (this.persistent) {
      this.store.removeItem(PERSISTED_APP_USER_ID_KEY);
      this.get();
    }
  }
}
