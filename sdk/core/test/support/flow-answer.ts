import type { ResolvedFlow } from '../../src/index';
import { manifest, screen } from './builders';

/** A resolve answer with an empty one-screen flow. */
export function flowAnswer(extra: Partial<ResolvedFlow> = {}): ResolvedFlow {
  return {
    kind: 'flow',
    flowId: 'a0000000-0000-4000-8000-0000000000aa',
    versionId: 'b0000000-0000-4000-8000-000000000001',
    versionNumber: 1,
    assignmentVersion: 1,
    environment: 'test',
    channelId: 'ch_test_main',
    experimentId: null,
    variantId: null,
    manifest: manifest({ screens: [screen('scr_a', [])] }),
    mediaMap: {},
    ...extra,
  };
}
