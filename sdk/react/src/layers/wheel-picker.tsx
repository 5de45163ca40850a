import { resolveColor, type WheelItemStyle, type WheelPickerLayer, wheelOptionIds } from '@svc/core';
import { inputLabel, type RenderContext, useLayerStyle, useRender, wheelItemLabel } from '@svc/react-core';
import { type CSSProperties, type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { typographyCss } from '../style/text-css';
import { InputColumn } from './input-column';

const ITEM_HEIGHT = 44;
const VISIBLE_ITEMS = 5;
const BAND = { light: 'rgba(228,228,231,.85)', dark: 'rgba(63,63,70,.55)' };
const ITEM: WheelItemStyle = { fontSize: 18, fontWeight: 400 };
const SELECTED_ITEM: WheelItemStyle = { fontSize: 20, fontWeight: 600 };
/** The wheel has come to rest when no scroll event came for this long. */
const REST_MS = 120;
function itemCss(style: WheelItemStyle, context: RenderContext): CSSProperties {
  return { ...typographyCss(style, context), ...(style.opacity === undefined ? {} : { opacity: style.opacity }) };
}

export function WheelPickerView({ layer }: { layer: WheelPickerLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const id = useId();
  const { draft, interactive, locale, palette, theme, reducedMotion } = context;
  const itemHeight = layer.itemHeight ?? ITEM_HEIGHT;
  const visible = layer.visibleItemCount ?? VISIBLE_ITEMS;
  const ids = wheelOptionIds(layer, new Date().getFullYear());
  const value = draft.input?.kind === 'wheel' ? draft.input.value : ids[Math.floor(ids.length / 2)];
  const index = Math.max(0, value === undefined ? 0 : ids.indexOf(value));

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

  const choose = (next: number) => {
    const chosen = ids[Math.min(Math.max(next, 0), ids.length - 1)];
    if (interactive && chosen !== undefined && chosen !== value) context.setInput({ kind: 'wheel', value: chosen });
  };
  const onScroll = () => {
    clearTimeout(rest.current);
    rest.current = setTimeout(() => {
      const element = wheel.current;
      if (!element || element.clientHeight === 0) return;
      const at = Math.min(Math.max(Math.round(element.scrollTop / itemHeight), 0), ids.length - 1);
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
      End: ids.length - 1,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    choose(target);
  };

  const padding = (itemHeight * (visible - 1)) / 2;
  return (
    <InputColumn layer={layer} style={style}>
      <div style={{ position: 'relative' }}>
        <div
          aria-hidden="true"
          style={{
            position: 'absolute',
            insetInline: 0,
            top: padding,
            height: itemHeight,
            borderRadius: 10,
            backgroundColor: resolveColor(layer.selectionBackgroundColor, palette, theme) ?? BAND[palette],
          }}
        />
        <div
          ref={wheel}
          className="svc-wheel"
          role="listbox"
          tabIndex={interactive ? 0 : -1}
          aria-label={inputLabel(context.screen, layer, locale)}
          aria-activedescendant={ids.length > 0 ? `${id}-${index}` : undefined}
          onScroll={interactive ? onScroll : undefined}
          onKeyDown={onKeyDown}
          style={{ height: itemHeight * visible }}
        >
          <div style={{ paddingBlock: padding }}>
            {ids.map((itemId, at) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox around it has the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the listbox names the active one
              <div
                key={itemId}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === index}
                onClick={() => choose(at)}
                style={{
                  display: 'flex',
                  alignItems: 'center',
                  justifyContent: 'center',
                  height: itemHeight,
                  scrollSnapAlign: 'center',
                  cursor: 'pointer',
                  ...itemCss(
                    at === index ? { ...SELECTED_ITEM, ...layer.selectedItemStyle } : { ...ITEM, ...layer.itemStyle },
                    context,
                  ),
                }}
              >
                {wheelItemLabel(layer, itemId, locale)}
              </div>
            ))}
          </div>
        </div>
      </div>
    </InputColumn>
  );
}
