import { type ChoiceLayer, choiceTapResponse, responsiveLayout, submitsOnTap, toggleChoice } from '@svc/core';
import {
  AxisContext,
  inputLabel,
  SelectedContext,
  useAxis,
  useLayerStyle,
  useRender,
  withOptionChrome,
} from '@svc/react-core';
import { type CSSProperties, type KeyboardEvent, useRef } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { StackView } from './stack';

const DEFAULT_GAP = 8;
const DEFAULT_GRID_COLUMNS = 2;

interface ChoiceLayout {
  direction: 'vertical' | 'horizontal' | 'grid';
  gap: number;
  columns: number | undefined;
}

function layoutCss({ direction, gap, columns }: ChoiceLayout): CSSProperties {
  if (direction !== 'grid') {
    const row = direction === 'horizontal';
    return { display: 'flex', flexDirection: row ? 'row' : 'column', gap, ...(row ? { flexWrap: 'wrap' } : {}) };
  }
  return {
    display: 'grid',
    gap,
    gridTemplateColumns: `repeat(${columns ?? DEFAULT_GRID_COLUMNS}, minmax(0, 1fr))`,
  };
}

export function ChoiceView({ layer }: { layer: ChoiceLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const group = useRef<HTMLElement>(null);
  const { draft, layers, interactive, setInput, respond, palette, theme } = context;
  const single = layer.kind === 'single_choice';
  const chosen = draft.input?.kind === 'choice' ? [draft.input.choiceId] : [];
  const selected = draft.input?.kind === 'multiChoice' ? draft.input.choiceIds : chosen;
  const layout = responsiveLayout<ChoiceLayout>(
    { direction: layer.direction ?? 'vertical', gap: layer.gap ?? DEFAULT_GAP, columns: layer.columns },
    layer.choiceLayoutBreakpoints,
    context.width,
  );

  const choose = (optionId: string) => {
    if (!interactive) return;
    if (layer.kind === 'multiple_choice') {
      setInput(toggleChoice(layer, draft.input, optionId));
      return;
    }
    setInput({ kind: 'choice', choiceId: optionId });
    if (submitsOnTap(layers)) respond(choiceTapResponse(layers, draft, optionId));
  };

  /** Arrow keys walk through the options; a radio group is one tab stop. */
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!single || step === undefined) return;
    const options = [...(group.current?.querySelectorAll<HTMLElement>(':scope > [role=radio]') ?? [])];
    const at = options.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    event.preventDefault();
    const mirrored = context.direction === 'rtl' && (event.key === 'ArrowLeft' || event.key === 'ArrowRight');
    const next = (at + (mirrored ? -step : step) + options.length) % options.length;
    options[next]?.focus();
    // Selecting with the focus is expected of radios, but must not submit the screen on the way.
    const optionId = layer.optionBindings[next]?.optionId;
    if (optionId !== undefined && !submitsOnTap(layers)) choose(optionId);
  };

  const tabStop = selected[0] ?? layer.optionBindings[0]?.optionId;
  return (
    <Box
      layer={layer}
      boxRef={group}
      role={single ? 'radiogroup' : 'group'}
      aria-label={inputLabel(context.screen, layer, context.locale)}
      onKeyDown={walk}
      opacity={layerOpacity(style)}
      css={{ ...layoutCss(layout), ...boxCss(style, axis, context) }}
    >
      {layer.optionBindings.map(({ optionId, rootLayerId }) => {
        const root = layer.children.find((child) => child.id === rootLayerId);
        if (!root) return null;
        const isSelected = selected.includes(optionId);
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: it is a radio or a checkbox
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is one of two that both know aria-checked
          <div
            key={optionId}
            role={single ? 'radio' : 'checkbox'}
            aria-checked={isSelected}
            data-option={optionId}
            className="svc-press"
            tabIndex={!interactive || (single && optionId !== tabStop) ? -1 : 0}
            onClick={() => choose(optionId)}
            onKeyDown={(event) => {
              if (event.target !== event.currentTarget || (event.key !== ' ' && event.key !== 'Enter')) return;
              event.preventDefault();
              choose(optionId);
            }}
            style={{
              display: 'flex',
              flexDirection: 'column',
              cursor: 'pointer',
              borderRadius: root.style?.radius ?? 10,
              ...(layout.direction === 'horizontal' ? { flex: '1 1 0%', minWidth: 'fit-content' } : { minWidth: 0 }),
            }}
          >
            <AxisContext.Provider value="vertical">
              <SelectedContext.Provider value={isSelected}>
                <StackView layer={withOptionChrome(root, palette, theme?.primary)} css={{ flexGrow: 1 }} />
              </SelectedContext.Provider>
            </AxisContext.Provider>
          </div>
        );
      })}
    </Box>
  );
}
