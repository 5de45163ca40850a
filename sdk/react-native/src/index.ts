import { createNativeSdk, type NativeSdk } from '@svc/native/sdk';
import { BARE_ADAPTERS } from './adapters';

export * from '@svc/native';

const sdk: NativeSdk = createNativeSdk(BARE_ADAPTERS);

/**
 * Connects everything below it to the service. Put exactly one high in the tree. A config that is equal by value
 * changes nothing; another key or base address starts over. Throws `SvcConfigError` when the config cannot work.
 */
export const SvcProvider: NativeSdk['SvcProvider'] = sdk.SvcProvider;

/**
 * Runs and draws the flow of a channel. Fills its container. Draws nothing once the run has ended; what comes next
 * is the host's, from `onFlowCompleted`.
 */
export const Flow: NativeSdk['Flow'] = sdk.Flow;

/**
 * Presents the flow of a channel above the app from when it is mounted. Screen readers stay inside meanwhile, and a
 * channel with nothing to serve presents nothing.
 */
export const FlowModal: NativeSdk['FlowModal'] = sdk.FlowModal;

/** Draws one screen of a flow. Needs no provider and no network. */
export const LayerRenderer: NativeSdk['LayerRenderer'] = sdk.LayerRenderer;
