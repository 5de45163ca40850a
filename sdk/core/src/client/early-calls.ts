import type { SdkLogger } from '../host/log';
import type { Person } from './person';

/** Keeps calls back until the device's store can be read and it is known who the person is. */
export class EarlyCalls {
  /** Calls with the person's own id at the time they were made; null once they run at once. */
  private kept: { call: () => void; custom: Person['customUserIdCall'] }[] | null = null;
  /** Resolves, and never rejects, when calls run at once. */
  readonly ready: Promise<void>;

  constructor(
    store: Promise<void> | undefined,
    private readonly person: Person,
    private readonly logger: SdkLogger,
  ) {
    this.ready = store ? this.wait(store) : Promise.resolve();
  }

  get isReady(): boolean {
    return this.kept === null;
  }

  run(call: () => void): void {
    if (this.kept) this.kept.push({ call, custom: this.person.customUserIdCall });
    else call();
  }

  private async wait(store: Promise<void>): Promise<void> {
    this.kept = [];
    await store;
    const calls = this.kept;
    this.kept = null;
    const { customUserIdCall } = this.person;
    for (const { call, custom } of calls) {
      this.person.customUserIdCall = custom;
      try {
        call();
      } catch (error) {
        // The other calls are none the worse for it.
        this.logger.debug('a kept call failed', error);
      }
    }
    this.person.customUserIdCall = customUserIdCall;
  }
}
