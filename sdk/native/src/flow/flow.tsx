import { type BaseFlowProps, FlowAuth, type UseFlowResult, useFlow, usePalette, useSvcContext } from '@svc/react-core';
import { type ReactNode, useMemo } from 'react';
import type { StyleProp, ViewStyle } from 'react-native';
import { PreviewSurface } from '../presentation/preview';
import { LayerRenderer } from '../renderer/layer-renderer';
import { DefaultResolveError } from './resolve-error';
import { ScreenChrome } from './screen-chrome';
import { SurfaceView } from './surface';
import { useHardwareBack } from './use-hardware-back';
import { Waiting, type Way } from './waiting';

export interface FlowProps extends BaseFlowProps {
  /** False where the app has a `GestureHandlerRootView` of its own around everything. Default true. */
  withGestureRoot?: boolean;
  /**
   * Whether Android's back button goes back a screen while there is one to go back to. Turn it off while something
   * of the app covers the flow. Default true.
   */
  handlesHardwareBack?: boolean;
  style?: StyleProp<ViewStyle>;
}

/**
 * Runs and draws the flow of a channel. Fills its container. Draws nothing once the run has ended; what comes next
 * is the host's, from `onFlowCompleted`.
 */
export function Flow(props: FlowProps) {
  const flow = useFlow(props);
  const { handlesHardwareBack = true } = props;
  const { respond, state, pendingExternalSurface, interpolationContext } = flow;
  const goesBack =
    handlesHardwareBack &&
    state?.status === 'running' &&
    pendingExternalSurface === null &&
    interpolationContext.canGoBack;
  const goBack = useMemo(() => (goesBack ? () => void respond({ kind: 'go_back' }) : null), [goesBack, respond]);
  useHardwareBack(goBack);
  return (
    <FlowAuth flow={flow} {...props}>
      <FlowView flow={flow} props={props} />
    </FlowAuth>
  );
}

interface FlowViewProps {
  flow: UseFlowResult;
  props: FlowProps;
  /** Closes what the flow stands in, while it has no screen that could. */
  close?: Way;
}

/** What a run shows now. */
export function FlowView({ flow, props, close }: FlowViewProps): ReactNode {
  const { config } = useSvcContext();
  const theme = usePalette(props.theme);
  const { fallback, loading, locale, previewWidthPx, copy, style, onAction, withGestureRoot } = props;
  const { state, manifest, screen, pendingExternalSurface: surface } = flow;
  if (flow.loading) return loading === undefined ? <Waiting palette={theme} copy={copy} action={close} /> : loading;
  if (flow.error) {
    const { error, retry, retryable } = flow;
    if (typeof fallback === 'function') return fallback({ error, retry, retryable });
    return fallback === undefined ? (
      <DefaultResolveError retry={retry} retryable={retryable} theme={theme} copy={copy} close={close} />
    ) : (
      fallback
    );
  }
  if (state?.status !== 'running' || !manifest) return null;
  const { externalSurfaces, externalSurfacePresenter } = props;
  const flowLocale = locale ?? config.locale ?? state.session.locale;
  return (
    <ScreenChrome
      theme={theme}
      {...(withGestureRoot === undefined ? {} : { withGestureRoot })}
      {...(style === undefined ? {} : { style })}
    >
      {surface ? (
        <SurfaceView
          key={`${surface.id} ${state.history.length}`}
          flow={flow}
          node={surface}
          drawPreview={(report) => (
            <PreviewSurface node={surface} palette={theme} locale={flowLocale} report={report} />
          )}
          {...(externalSurfaces ? { externalSurfaces } : {})}
          {...(externalSurfacePresenter ? { externalSurfacePresenter } : {})}
        />
      ) : (
        screen && (
          <LayerRenderer
            manifest={manifest}
            screen={screen}
            locale={flowLocale}
            theme={theme}
            mediaMap={flow.mediaMap}
            {...(flow.branding ? { branding: flow.branding } : {})}
            interpolationContext={flow.interpolationContext}
            onRespond={flow.respond}
            {...(onAction ? { onAction } : {})}
            onHyperlinkOpened={flow.trackExternalLinkOpened}
            onAppReview={flow.trackAppReview}
            {...(previewWidthPx === undefined ? {} : { previewWidthPx })}
            visit={state.history.length}
            {...(copy ? { copy } : {})}
          />
        )
      )}
    </ScreenChrome>
  );
}
