import type { WheelItemStyle, WheelPickerLayer } from '@svc/core';
import { type RenderContext, useLayerStyle, useRender, useWheel } from '@svc/react-core';
import { type CSSProperties, type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { useStyleProps } from '../style/server-sheet';
import { typographyCss } from '../style/text-css';
import { InputColumn } from './input-column';

/** The wheel has come to rest when no scroll event came for this long. */
const REST_MS = 120;
function itemCss(style: WheelItemStyle, context: RenderContext): CSSProperties {
  return { ...typographyCss(style, context), ...(style.opacity === undefined ? {} : { opacity: style.opacity }) };
}

export function WheelPickerView({ layer }: { layer: WheelPickerLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const { interactive, reducedMotion } = context;
  const { items, index, itemHeight, visible, choose, ...picker } = useWheel(layer);

  const wheel = useRef<HTMLDivElement>(null);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shown = useRef<number | null>(null);
  useEffect(() => {
    const element = wheel.current;
    if (!element || shown.current === index) return;
    // The first position is where the wheel starts, not something to travel to.
    const behavior = shown.current === null || reducedMotion ? 'instant' : 'smooth';
    shown.current = index;
    element.scrollTo?.({ top: index * itemHeight, behavior });
  }, [index, itemHeight, reducedMotion]);
  useEffect(() => () => clearTimeout(rest.current), []);

  const onScroll = () => {
    clearTimeout(rest.current);
    rest.current = setTimeout(() => {
      const element = wheel.current;
      if (!element || element.clientHeight === 0) return;
      const at = Math.min(Math.max(Math.round(element.scrollTop / itemHeight), 0), items.length - 1);
      shown.current = at;
      choose(at);
    }, REST_MS);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = {
      ArrowUp: index - 1,
      ArrowDown: index + 1,
      PageUp: index - visible,
      PageDown: index + visible,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    choose(target);
  };

  const padding = (itemHeight * (visible - 1)) / 2;
  return (
    <InputColumn layer={layer} style={style}>
      <div {...styleProps({ position: 'relative' })}>
        <div
          aria-hidden="true"
          {...styleProps({
            position: 'absolute',
            insetInline: 0,
            top: padding,
            height: itemHeight,
            borderRadius: 10,
            backgroundColor: picker.bandColor,
          })}
        />
        <div
          ref={wheel}
          role="listbox"
          tabIndex={interactive ? 0 : -1}
          aria-label={picker.label}
          aria-activedescendant={items.length > 0 ? `${id}-${index}` : undefined}
          onScroll={interactive ? onScroll : undefined}
          onKeyDown={onKeyDown}
          {...styleProps({ height: itemHeight * visible }, 'svc-wheel')}
        >
          <div {...styleProps({ paddingBlock: padding })}>
            {items.map(({ id: itemId, label }, at) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox around it has the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the listbox names the active one
              <div
                key={itemId}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === index}
                onClick={() => choose(at)}
                {...styleProps({
                  display: 'flex',
                  alignItems: 'center',
                  justifyContent: 'center',
                  height: itemHeight,
                  scrollSnapAlign: 'center',
                  cursor: 'pointer',
                  ...itemCss(at === index ? picker.selectedItemStyle : picker.itemStyle, context),
                })}
              >
                {label}
              </div>
            ))}
          </div>
        </div>
      </div>
    </InputColumn>
  );
}
