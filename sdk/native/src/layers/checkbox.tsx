import { type CheckboxGlyphStyle, type CheckboxLayer, type CommonStyle, resolveColor } from '@svc/core';
import { glyphStyle, inputLabel, useLayerStyle, useRender } from '@svc/react-core';
import { View } from 'react-native';
import Svg, { Path } from 'react-native-svg';
import { Backdrop } from '../renderer/box';
import { PressBox } from '../renderer/press-box';
import { chromeStyle } from '../style/chrome';
import { flexStyle } from '../style/flex-style';

/** Side of what takes taps, px: comfortable for a finger whatever the glyph's size is. */
const TOUCH_SIZE = 44;
const DEFAULT_SIZE = 18;

export function CheckboxView({ layer }: { layer: CheckboxLayer }) {
  const { draft, setCheckbox, screen, locale } = useRender();
  const style = useLayerStyle(layer);
  const checked = draft.checkboxes[layer.fieldKey] === true;
  const glyph = glyphStyle(layer, checked);
  const slop = Math.max(0, (TOUCH_SIZE - (glyph.size ?? DEFAULT_SIZE)) / 2);
  return (
    <PressBox
      layer={layer}
      role="checkbox"
      aria-checked={checked}
      aria-label={inputLabel(screen, layer, locale)}
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
        <Svg viewBox="0 0 16 16" width="80%" height="80%" fill="none">
          <Path
            d="M3 8.5 6.5 12 13 4.5"
            stroke={resolveColor(checkColor, context.palette, context.theme)}
            strokeWidth={2.4}
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </Svg>
      ) : null}
    </View>
  );
}
