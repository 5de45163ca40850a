import { type ButtonAction, findScreen, type OnComplete, type StepResponse } from '@svc/core';
import { appReviewResponse, canContinue, continueResponse, endFlowResponse } from '@svc/core/internal';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { PlatformActions } from '../host/host-client';
import { askForReview, type ReviewListener } from '../host/review';
import type { Carousels } from './carousels';
import type { Players } from './players';
import type { RenderContext } from './render-context';
import { currentYear } from './use-screen-draft';

/** Where an action comes from. */
export interface ActionMeta {
  layerId: string;
  /** The renderer answers the action itself; whoever listens must not do it a second time. */
  handled: boolean;
}

export interface ActionListeners {
  onRespond: ((response: StepResponse) => void) | undefined;
  onAction: ((action: ButtonAction, meta: ActionMeta) => void) | undefined;
  onAppReview: ReviewListener | undefined;
}

type Actions = Pick<
  RenderContext,
  'ready' | 'attempted' | 'pendingAction' | 'respond' | 'perform' | 'submitDraft' | 'canGoBack' | 'finish'
>;

interface ActionInput
  extends Pick<RenderContext, 'manifest' | 'screen' | 'layers' | 'draft' | 'interactive'>,
    ActionListeners {
  hasHistory: boolean;
  actions: PlatformActions;
  players: Players;
  carousels: Carousels;
}

/** What the buttons of a screen do (runtime.md §7). */
export function useActions(input: ActionInput): Actions {
  const { manifest, layers, draft, interactive, hasHistory } = input;
  const latest = useRef(input);
  useEffect(() => {
    latest.current = input;
  });
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  const [attempted, setAttempted] = useState(false);
  const [pendingAction, setPendingAction] = useState<string | null>(null);
  const ready = canContinue(layers, draft, currentYear());

  const respond = useCallback((response: StepResponse) => {
    if (latest.current.interactive) latest.current.onRespond?.(response);
  }, []);

  const submitDraft = useCallback(() => {
    const { layers: now, draft: entered } = latest.current;
    const response = canContinue(now, entered, currentYear()) ? continueResponse(now, entered) : null;
    if (response) respond(response);
    else setAttempted(true);
  }, [respond]);

  const canGoBack = useCallback(
    (fallback: string | undefined) => hasHistory || findScreen(manifest, fallback ?? null) !== undefined,
    [hasHistory, manifest],
  );

  const askPermission = useCallback(
    async (action: Extract<ButtonAction, { kind: 'request_os_permission' }>, layerId: string) => {
      setPendingAction(layerId);
      const outcome = await latest.current.actions.requestPermission(action.permissionKey);
      // The prompt may outlast the screen, and the answer belongs to no other.
      if (!shown.current) return;
      setPendingAction(null);
      respond({ kind: 'permission_outcome', layerId, permissionKey: action.permissionKey, outcome });
    },
    [respond],
  );

  const askReview = useCallback(
    async (layerId: string) => {
      const { actions, onAppReview } = latest.current;
      setPendingAction(layerId);
      const outcome = await askForReview(actions, layerId, onAppReview);
      if (!shown.current) return;
      setPendingAction(null);
      const { layers: now, draft: entered } = latest.current;
      respond(appReviewResponse(now, entered, layerId, outcome));
    },
    [respond],
  );

  const perform = useCallback(
    (action: ButtonAction, layerId: string) => {
      const now = latest.current;
      if (!now.interactive) return;
      now.onAction?.(action, { layerId, handled: now.onRespond !== undefined });
      switch (action.kind) {
        case 'continue':
          return submitDraft();
        case 'skip':
          return respond({ kind: 'skip' });
        case 'end_flow':
          return respond(endFlowResponse(now.layers, now.draft));
        case 'go_to_step':
          return respond({ kind: 'go_to_screen', screenId: action.screenId });
        case 'go_back_one_screen':
          return respond({
            kind: 'go_back',
            ...(action.fallbackScreenId ? { fallbackScreenId: action.fallbackScreenId } : {}),
          });
        case 'play_media':
          return now.players.play(action.targetLayerIds);
        case 'advance_carousel':
          return now.carousels.advance(action.targetLayerId, action.onLast);
        case 'request_app_review':
          if (!now.actions.requestReview)
            return respond(appReviewResponse(now.layers, now.draft, layerId, 'not_shown'));
          void askReview(layerId);
          return undefined;
        case 'request_os_permission':
          void askPermission(action, layerId);
          return undefined;
        default:
          return undefined;
      }
    },
    [respond, submitDraft, askPermission, askReview],
  );

  const finish = useCallback(
    (onComplete: OnComplete | undefined) => {
      if (onComplete?.mode === 'next') respond({ kind: 'cta', action: 'primary' });
      else if (onComplete?.mode === 'screen') respond({ kind: 'go_to_screen', screenId: onComplete.screenId });
    },
    [respond],
  );

  return useMemo(
    () => ({
      ready: ready || !interactive,
      attempted,
      pendingAction,
      respond,
      perform,
      submitDraft,
      canGoBack,
      finish,
    }),
    [ready, interactive, attempted, pendingAction, respond, perform, submitDraft, canGoBack, finish],
  );
}
