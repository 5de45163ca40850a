import type { CheckboxGlyphStyle, CheckboxLayer, CommonStyle } from '@svc/core';
import { DEFAULT_FOREGROUND, resolveColor } from '@svc/core/internal';
import { glyphStyle, inputLabel, useLayerStyle, useRender } from '@svc/react-core';
import { View } from 'react-native';
import { Backdrop } from '../renderer/box';
import { PressBox } from '../renderer/press-box';
import { chromeStyle } from '../style/chrome';
import { flexStyle } from '../style/flex-style';
import { Mark } from './mark';

/** Side of what takes taps, px: comfortable for a finger whatever the glyph's size is. */
const TOUCH_SIZE = 44;
const DEFAULT_SIZE = 18;
/** Side of the tick as a share of that of its box. */
const TICK_SHARE = 0.8;

export function CheckboxView({ layer }: { layer: CheckboxLayer }) {
  const context = useRender();
  const { draft, setCheckbox, screen } = context;
  const style = useLayerStyle(layer);
  const checked = draft.checkboxes[layer.fieldKey] === true;
  const glyph = glyphStyle(layer, checked);
  const slop = Math.max(0, (TOUCH_SIZE - (glyph.size ?? DEFAULT_SIZE)) / 2);
  return (
    <PressBox
      layer={layer}
      role="checkbox"
      aria-checked={checked}
      aria-label={inputLabel(screen, layer, context)}
      hitSlop={slop}
      onPress={() => setCheckbox(layer.fieldKey, !checked)}
      look={style}
      layout={flexStyle({ direction: 'horizontal', gap: 0, align: 'center' })}
    >
      <CheckGlyph glyph={glyph} checked={checked} />
    </PressBox>
  );
}

function CheckGlyph({ glyph, checked }: { glyph: CheckboxGlyphStyle; checked: boolean }) {
  const context = useRender();
  const { size = DEFAULT_SIZE, checkColor, opacity = 1, ...chrome } = glyph;
  const look: CommonStyle = chrome;
  return (
    <View
      style={[
        chromeStyle(look, context),
        { width: size, height: size, flexShrink: 0, alignItems: 'center', justifyContent: 'center', opacity },
      ]}
    >
      <Backdrop look={look} />
      {checked ? (
        <Mark
          kind="tick"
          size={size * TICK_SHARE}
          color={resolveColor(checkColor, context.palette, context.theme) ?? DEFAULT_FOREGROUND[context.palette]}
        />
      ) : null}
    </View>
  );
}
