import {
  type ButtonAction,
  type ExternalSurfaceNode,
  FlowController,
  type FlowControllerOptions,
  type FlowManifest,
  type FlowState,
  findExternalSurface,
  findScreen,
  type ResolvedFlow,
  type Screen,
  type SdkAttributes,
  type StepResponse,
  type StoredResponses,
  SvcError,
} from '@svc/core';
import { canGoBack, type RunPlace } from '@svc/core/internal';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useSvcContext } from '../provider/context';
import { useIsomorphicLayoutEffect } from '../renderer/isomorphic-effect';
import { type RelayMeta, relayAction } from './relay-action';

export type UseFlowOptions = FlowControllerOptions;

/** What texts, conditional layers and back buttons of a screen look at; made for `LayerRenderer`. */
export interface FlowInterpolationContext {
  responses: StoredResponses;
  customProperties: Readonly<Record<string, string>>;
  /** Whether there is a screen to go back to. */
  canGoBack: boolean;
  sdkAttributes: SdkAttributes;
  /** Locale and platform of the run; absent while nothing runs. */
  locale?: string;
  platform?: string;
}

export interface UseFlowResult {
  /** The channel that is run, trimmed. */
  channelId: string;
  loading: boolean;
  error: Error | null;
  /** The flow could not be loaded; show something of your own or offer `retry`. */
  resolveFailed: boolean;
  /** Whether `retry` can help: false while nothing failed, and for refusals that would come again. */
  retryable: boolean;
  retry: () => void;
  /** What the service served; null until there is an answer. */
  flow: ResolvedFlow | null;
  state: FlowState | null;
  screen: Screen | null;
  manifest: FlowManifest | null;
  pendingExternalSurface: ExternalSurfaceNode | null;
  flowId: string | null;
  versionId: string | null;
  variantId: string | null;
  branding: ResolvedFlow['branding'];
  mediaMap: Readonly<Record<string, string>>;
  /** Submits an answer or an action. Returns whether it changed anything. */
  respond: (response: StepResponse) => boolean;
  reportExternalSurfaceOutcome: FlowController['reportExternalSurfaceOutcome'];
  interpolationContext: FlowInterpolationContext;
  /** Answers a button of a UI of your own; actions that `LayerRenderer` reports to `onAction` are left alone. */
  relayNativeButtonAction: (action: ButtonAction, meta?: RelayMeta) => Promise<void>;
  /** How far the record of the run has come, for a run that goes on in another document. */
  runPlace: () => RunPlace | null;
  trackExternalLinkOpened: FlowController['trackExternalLinkOpened'];
  trackAppReview: FlowController['trackAppReview'];
  /** Ends the run as abandoned: records it and calls `onFlowAbandoned`. */
  abandon: () => void;
}

const NO_MEDIA = {};

function asTexts(properties: Record<string, unknown> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(properties ?? {}).map(([key, value]) => [key, String(value)]));
}

/**
 * Runs the flow of a channel for a UI of your own. The run starts when the component is mounted and is abandoned
 * when it goes.
 */
export function useFlow(options: UseFlowOptions): UseFlowResult {
  const { client, host, config } = useSvcContext();
  // Hosts without types hand over what an environment variable had, which may be nothing.
  const key = options.channelId?.trim() ?? '';
  const make = () => {
    const resume = () => host.resume?.(key) ?? null;
    return {
      client,
      key,
      preview: options.preview,
      controller: new FlowController(client, host.platform, { resume, ...options, channelId: key }),
    };
  };
  const [held, setHeld] = useState(make);
  let current = held;
  if (held.client !== client || held.key !== key || held.preview !== options.preview) {
    current = make();
    setHeld(current);
  }
  const { controller } = current;
  useEffect(() => controller.setOptions({ ...options, channelId: key }));
  // Before the paint, so that a flow that memory has shows no spinner.
  useIsomorphicLayoutEffect(() => {
    controller.mount();
    return () => controller.unmount();
  }, [controller]);
  const view = useSyncExternalStore(controller.subscribe, controller.getView, controller.getView);

  const customText = JSON.stringify(asTexts(config.customProperties));
  return useMemo(() => {
    const { flow, state } = view;
    const manifest = flow?.manifest ?? null;
    return {
      channelId: key,
      flow,
      loading: view.status === 'loading',
      error: view.error,
      resolveFailed: view.status === 'failed',
      retryable: view.error !== null && (!(view.error instanceof SvcError) || view.error.retryable),
      retry: () => controller.retry(),
      state,
      manifest,
      screen: (state && findScreen(state.manifest, state.currentScreenId)) ?? null,
      pendingExternalSurface:
        (state?.pendingExternalSurface && findExternalSurface(state.manifest, state.pendingExternalSurface.nodeId)) ??
        null,
      flowId: flow?.flowId ?? null,
      versionId: flow?.versionId ?? null,
      variantId: flow?.variantId ?? null,
      branding: flow?.branding,
      mediaMap: flow?.mediaMap ?? NO_MEDIA,
      respond: (response) => controller.respond(response),
      reportExternalSurfaceOutcome: (nodeId, outcome, extra) =>
        controller.reportExternalSurfaceOutcome(nodeId, outcome, extra),
      interpolationContext: {
        responses: state?.responses ?? {},
        customProperties: JSON.parse(customText) as Record<string, string>,
        canGoBack: state !== null && canGoBack(state),
        sdkAttributes: state?.session.sdkAttributes ?? {},
        ...(state ? { locale: state.session.locale, platform: state.session.platform } : {}),
      },
      relayNativeButtonAction: (action, meta = {}) =>
        relayAction(action, meta, {
          actions: host.actions,
          respond: (response) => void controller.respond(response),
          onAppReview: (moment, layerId) => controller.trackAppReview(moment, layerId),
        }),
      runPlace: () => controller.place,
      trackExternalLinkOpened: (link) => controller.trackExternalLinkOpened(link),
      trackAppReview: (moment, layerId) => controller.trackAppReview(moment, layerId),
      abandon: () => controller.abandon(),
    };
  }, [view, controller, customText, key, host]);
}
