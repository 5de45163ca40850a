import type { BackButtonLayer, ButtonLayer } from '@svc/core';
import { useRender } from '@svc/react-core';
import { ButtonBox } from './button-box';

export function ButtonView({ layer }: { layer: ButtonLayer }) {
  const { ready, canGoBack, perform, pendingAction } = useRender();
  const { action } = layer;
  const disabled =
    action.kind === 'none' || (action.kind === 'go_back_one_screen' && !canGoBack(action.fallbackScreenId));
  return (
    <ButtonBox
      layer={layer}
      variant={layer.variant}
      disabled={disabled}
      held={action.kind === 'continue' && !ready}
      busy={pendingAction === layer.id}
      onPress={() => perform(action, layer.id)}
    />
  );
}

export function BackButtonView({ layer }: { layer: BackButtonLayer }) {
  const { canGoBack, perform } = useRender();
  const { fallbackScreenId } = layer;
  const action = { kind: 'go_back_one_screen' as const, ...(fallbackScreenId ? { fallbackScreenId } : {}) };
  return (
    <ButtonBox
      layer={layer}
      variant={layer.variant}
      disabled={!canGoBack(fallbackScreenId)}
      onPress={() => perform(action, layer.id)}
    />
  );
}
