import type { HostClientFactory, PlatformActions } from '@svc/react-core';
import { type FunctionComponent, type ReactNode, useContext, useMemo } from 'react';
import type { NativeAdapters } from './adapters/adapters';
import { AdaptersContext } from './adapters/adapters-context';
import { claimFlavour } from './adapters/flavour-guard';
import { FontLoaderContext } from './adapters/font-loader-context';
import { Flow, type FlowProps } from './flow/flow';
import { requestAppReview } from './host/app-review';
import { NativeClient } from './host/native-client';
import { deviceStorage, deviceStore } from './host/native-host';
import { requestPermission } from './host/permissions';
import { FlowModal, type FlowModalProps } from './presentation/flow-modal';
import { PresentationOutlet } from './presentation/presentation-outlet';
import { NativeProvider, type SvcProviderProps } from './provider/provider';
import { LayerRenderer, type LayerRendererProps } from './renderer/layer-renderer';
import { PlatformActionsContext } from './renderer/platform-actions-context';

export { getSdkLogger } from '@svc/react-core';
export type { FilmHandle, FilmProps, FontAdapter, NativeAdapters, ReviewAdapter } from './adapters/adapters';
export { lookUp } from './host/look-up';

/** The components that need a flavour's adapters. */
export interface NativeSdk {
  /**
   * Connects everything below it to the service. Put exactly one high in the tree. A config that is equal by value
   * changes nothing; another key or base address starts over.
   *
   * @throws SvcConfigError when the config cannot work
   */
  SvcProvider: FunctionComponent<SvcProviderProps>;
  /**
   * Runs and draws the flow of a channel. Fills its container. Draws nothing once the run has ended; what comes next
   * is the host's, from `onFlowCompleted`.
   */
  Flow: FunctionComponent<FlowProps>;
  /**
   * Presents the flow of a channel above the app from when it is mounted. Screen readers stay inside meanwhile, and a
   * channel with nothing to serve presents nothing.
   */
  FlowModal: FunctionComponent<FlowModalProps>;
  /** Draws one screen of a flow. Needs no provider and no network. */
  LayerRenderer: FunctionComponent<LayerRendererProps>;
}

/**
 * Binds a flavour's adapters to the components that need them. Nothing is registered anywhere.
 *
 * @throws SvcError when the other flavour is loaded too
 */
export function createNativeSdk(adapters: NativeAdapters): NativeSdk {
  claimFlavour(adapters.flavour);
  const actions: PlatformActions = {
    requestPermission,
    requestReview: () => requestAppReview(adapters.review),
  };
  const makeClient: HostClientFactory = (config, options) =>
    new NativeClient({ device: deviceStorage, store: deviceStore, actions }, config, options);

  /** Hands the adapters to what is drawn below. */
  function Bound({ children }: { children: ReactNode }) {
    const fonts = useContext(FontLoaderContext);
    const value = useMemo(() => (fonts ? { ...adapters, fonts } : adapters), [fonts]);
    return (
      <AdaptersContext.Provider value={value}>
        <PlatformActionsContext.Provider value={actions}>{children}</PlatformActionsContext.Provider>
      </AdaptersContext.Provider>
    );
  }

  return {
    SvcProvider: ({ children, ...props }) => (
      <NativeProvider {...props} makeClient={makeClient}>
        {children}
        <Bound>
          <PresentationOutlet />
        </Bound>
      </NativeProvider>
    ),
    Flow: (props) => (
      <Bound>
        <Flow {...props} />
      </Bound>
    ),
    FlowModal: (props) => (
      <Bound>
        <FlowModal {...props} />
      </Bound>
    ),
    LayerRenderer: (props) => (
      <Bound>
        <LayerRenderer {...props} />
      </Bound>
    ),
  };
}
