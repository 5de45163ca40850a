import type { SvcConfig } from '../config';
import { canonicalJson } from '../flow/digest';

/**
 * A config as text: equal texts mean that nothing changed. The fetcher is left out, hosts make it anew each render, and
 * so is an app's `attribution`, which its host looks after.
 */
export function comparable(config: SvcConfig & { attribution?: unknown }): string {
  const { fetcher: _, attribution: __, ...values } = config;
  return canonicalJson(values);
}
