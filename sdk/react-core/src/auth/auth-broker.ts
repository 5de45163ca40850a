/** Tells a layer how a sign-in went. Only the first call counts. */
export type Resolve<R> = (result: R) => void;

/** Answers one request of a sign-in layer. */
export type AuthHandler<P, R> = (payload: P & { resolve: Resolve<R> }) => void | Promise<void>;

/**
 * Keeps the host's handler of one kind of sign-in. The last one attached wins; without one of its own it asks the
 * broker around it.
 */
export class AuthBroker<P, R extends { success: boolean; error?: string }> {
  private readonly handlers: AuthHandler<P, R>[] = [];

  constructor(
    private readonly parent: AuthBroker<P, R> | null,
    private readonly failure: (error: string) => R,
  ) {}

  /** Attaches a handler and returns its removal. */
  attach(handler: AuthHandler<P, R>): () => void {
    this.handlers.push(handler);
    return () => {
      const at = this.handlers.lastIndexOf(handler);
      if (at >= 0) this.handlers.splice(at, 1);
    };
  }

  /** The handler that answers now. */
  private handler(): AuthHandler<P, R> | undefined {
    return this.handlers[this.handlers.length - 1] ?? this.parent?.handler();
  }

  /** Asks the host. Fails when nobody listens, when the handler throws, and when it takes too long. */
  request(payload: P, timeoutMs?: number): Promise<R> {
    const handler = this.handler();
    if (!handler) return Promise.resolve(this.failure('no_handler'));
    return new Promise<R>((settle) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(this.failure('timeout')), timeoutMs);
      const resolve = (result: R) => {
        clearTimeout(timer);
        settle(result);
      };
      try {
        const pending = handler({ ...payload, resolve });
        pending?.catch((error: unknown) => resolve(this.failure(messageOf(error))));
      } catch (error) {
        resolve(this.failure(messageOf(error)));
      }
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
