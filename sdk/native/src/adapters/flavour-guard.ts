import { SvcError } from '@svc/core';

/** Where the flavour that is loaded leaves its name; the other one is another bundle and shares nothing else. */
const LOADED = Symbol.for('svc.native.flavour');

/**
 * Makes sure that an app has one flavour only: two would count everything twice.
 *
 * @throws SvcError that names both when the other one is loaded
 */
export function claimFlavour(name: string): void {
  const scope = globalThis as unknown as Record<symbol, unknown>;
  const loaded = scope[LOADED];
  if (loaded !== undefined && loaded !== name) {
    throw new SvcError(
      'two_flavours',
      `${String(loaded)} and ${name} are both loaded; an app needs exactly one of them`,
    );
  }
  scope[LOADED] = name;
}
