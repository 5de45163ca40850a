import { readFileSync } from 'node:fs';
import type { FlowManifest } from '../../src/index';

export type ExampleName = 'linear-onboarding' | 'branching-onboarding' | 'paywall-flow' | 'all-layers';

/** One of the example manifests that the Go validator is tested on as well. */
export function exampleManifest(name: ExampleName): FlowManifest {
  const file = new URL(`../../../../manifest/examples/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as FlowManifest;
}
