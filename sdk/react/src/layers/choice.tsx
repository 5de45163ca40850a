import type { ChoiceLayer } from '@svc/core';
import {
  AxisContext,
  type ChoiceLayout,
  inputLabel,
  SelectedContext,
  useAxis,
  useChoice,
  useLayerStyle,
  useRender,
} from '@svc/react-core';
import { type CSSProperties, type KeyboardEvent, useRef } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';
import { StackView } from './stack';

function layoutCss({ direction, gap, columns }: ChoiceLayout): CSSProperties {
  if (direction !== 'grid') {
    const row = direction === 'horizontal';
    return { display: 'flex', flexDirection: row ? 'row' : 'column', gap, ...(row ? { flexWrap: 'wrap' } : {}) };
  }
  return {
    display: 'grid',
    gap,
    gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
  };
}

export function ChoiceView({ layer }: { layer: ChoiceLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const group = useRef<HTMLElement>(null);
  const { interactive } = context;
  const { single, layout, options, choose, submitsOnTap } = useChoice(layer);

  /** Arrow keys walk through the options; a radio group is one tab stop. */
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!single || step === undefined) return;
    const radios = [...(group.current?.querySelectorAll<HTMLElement>(':scope > [role=radio]') ?? [])];
    const at = radios.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    event.preventDefault();
    const mirrored = context.direction === 'rtl' && (event.key === 'ArrowLeft' || event.key === 'ArrowRight');
    const next = (at + (mirrored ? -step : step) + radios.length) % radios.length;
    radios[next]?.focus();
    // Selecting with the focus is expected of radios, but must not submit the screen on the way.
    const option = options[next];
    if (option && !submitsOnTap) choose(option.id);
  };

  const tabStop = (options.find(({ selected }) => selected) ?? options[0])?.id;
  return (
    <Box
      layer={layer}
      boxRef={group}
      role={single ? 'radiogroup' : 'group'}
      aria-label={inputLabel(context.screen, layer, context)}
      onKeyDown={walk}
      opacity={layerOpacity(style)}
      css={{ ...layoutCss(layout), ...boxCss(style, axis, context) }}
    >
      {options.map(({ id, root, selected }) => {
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: it is a radio or a checkbox
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is one of two that both know aria-checked
          <div
            key={id}
            role={single ? 'radio' : 'checkbox'}
            aria-checked={selected}
            data-option={id}
            tabIndex={!interactive || (single && id !== tabStop) ? -1 : 0}
            onClick={() => choose(id)}
            onKeyDown={(event) => {
              if (event.target !== event.currentTarget || (event.key !== ' ' && event.key !== 'Enter')) return;
              event.preventDefault();
              choose(id);
            }}
            {...styleProps(
              {
                display: 'flex',
                flexDirection: 'column',
                cursor: 'pointer',
                borderRadius: root.style?.radius ?? 10,
                ...(layout.direction === 'horizontal' ? { flex: '1 1 0%', minWidth: 'fit-content' } : { minWidth: 0 }),
              },
              'svc-press',
            )}
          >
            <AxisContext.Provider value="vertical">
              <SelectedContext.Provider value={selected}>
                <StackView layer={root} css={{ flexGrow: 1 }} />
              </SelectedContext.Provider>
            </AxisContext.Provider>
          </div>
        );
      })}
    </Box>
  );
}
