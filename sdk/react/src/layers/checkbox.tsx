import type { CheckboxGlyphStyle, CheckboxLayer, CommonStyle } from '@svc/core';
import { resolveColor } from '@svc/core/internal';
import { glyphStyle, inputLabel, type RenderContext, useAxis, useLayerStyle, useRender } from '@svc/react-core';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss, chromeCss } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';

export function CheckboxView({ layer }: { layer: CheckboxLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const { draft, interactive, setCheckbox, screen } = context;
  const checked = draft.checkboxes[layer.fieldKey] === true;
  return (
    <Box
      as="button"
      type="button"
      role="checkbox"
      className="svc-press"
      layer={layer}
      aria-checked={checked}
      aria-required={layer.blocking || undefined}
      aria-label={inputLabel(screen, layer, context)}
      onClick={() => interactive && setCheckbox(layer.fieldKey, !checked)}
      opacity={layerOpacity(style)}
      css={{ display: 'flex', alignItems: 'center', ...boxCss(style, axis, context) }}
    >
      <CheckGlyph style={glyphStyle(layer, checked)} checked={checked} context={context} />
    </Box>
  );
}

function CheckGlyph({
  style,
  checked,
  context,
}: {
  style: CheckboxGlyphStyle;
  checked: boolean;
  context: RenderContext;
}) {
  const styleProps = useStyleProps();
  const { size = 18, checkColor, opacity = 1, ...chrome } = style;
  return (
    <span
      aria-hidden="true"
      {...styleProps({
        display: 'flex',
        alignItems: 'center',
        justifyContent: 'center',
        flexShrink: 0,
        width: size,
        height: size,
        ...chromeCss(chrome as CommonStyle, context),
        ...(opacity === 1 ? {} : { opacity }),
        color: resolveColor(checkColor, context.palette, context.theme),
      })}
    >
      {checked && (
        <svg
          aria-hidden="true"
          viewBox="0 0 16 16"
          width="80%"
          height="80%"
          fill="none"
          stroke="currentColor"
          strokeWidth={2.4}
        >
          <path d="M3 8.5 6.5 12 13 4.5" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
      )}
    </span>
  );
}
