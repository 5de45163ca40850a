import type { ButtonAction, StepResponse } from '@svc/core';
import type { PlatformActions } from '../host/host-client';
import { askForReview, type ReviewListener } from '../host/review';

/** Where a relayed action comes from. */
export interface RelayMeta {
  layerId?: string;
  /** Set by `LayerRenderer`, which answers its buttons itself: then there is nothing left to do. */
  handled?: boolean;
}

interface RelayHost {
  actions: PlatformActions;
  respond: (response: StepResponse) => void;
  onAppReview: ReviewListener;
}

/**
 * Answers a button of a UI of one's own as `LayerRenderer` would, for actions that need no layer on the page. Players
 * and carousels belong to whoever draws them.
 */
export async function relayAction(
  action: ButtonAction,
  { layerId = '', handled }: RelayMeta,
  { actions, respond, onAppReview }: RelayHost,
): Promise<void> {
  if (handled) return;
  switch (action.kind) {
    case 'continue':
      return respond({ kind: 'cta', action: 'primary' });
    case 'skip':
    case 'end_flow':
      return respond({ kind: action.kind });
    case 'go_to_step':
      return respond({ kind: 'go_to_screen', screenId: action.screenId });
    case 'go_back_one_screen': {
      const { fallbackScreenId } = action;
      return respond({ kind: 'go_back', ...(fallbackScreenId ? { fallbackScreenId } : {}) });
    }
    case 'request_app_review': {
      const outcome = await askForReview(actions, layerId, onAppReview);
      return respond({ kind: 'app_review_outcome', layerId, outcome });
    }
    case 'request_os_permission': {
      const { permissionKey } = action;
      const outcome = await actions.requestPermission(permissionKey);
      return respond({ kind: 'permission_outcome', layerId, permissionKey, outcome });
    }
    default:
      return undefined;
  }
}
