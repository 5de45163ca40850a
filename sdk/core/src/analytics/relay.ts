/** Calls of module functions that are kept until a provider is there. */
export const MAX_BUFFERED_CALLS = 100;

type Call<Client> = (client: Client, at: number) => void;

/**
 * Leads module functions such as `logEvent` to the mounted client. Calls before that are buffered, with the time
 * they were made at; on a server they do nothing, so that two renders share nothing.
 */
export class ModuleRelay<Client> {
  private client: Client | null = null;
  private buffered: { call: Call<Client>; at: number }[] = [];

  constructor(
    private readonly now: () => number,
    private readonly isServer: () => boolean,
  ) {}

  /** Runs the call now, or when a client attaches. Beyond the bound the newest calls are dropped. */
  run(call: Call<Client>): void {
    if (this.client) call(this.client, this.now());
    else if (!this.isServer() && this.buffered.length < MAX_BUFFERED_CALLS) {
      this.buffered.push({ call, at: this.now() });
    }
  }

  get attached(): Client | null {
    return this.client;
  }

  /** Makes this the client that calls go to and hands it the buffered ones in order. */
  attach(client: Client): void {
    if (this.isServer()) return;
    this.client = client;
    for (const { call, at } of this.buffered.splice(0)) call(client, at);
  }

  detach(client: Client): void {
    if (this.client === client) this.client = null;
  }
}
