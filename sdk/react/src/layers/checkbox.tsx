import { type CheckboxGlyphStyle, type CheckboxLayer, type CommonStyle, mergeStyle, resolveColor } from '@svc/core';
import { Box, layerOpacity } from '../renderer/box';
import { inputLabel } from '../renderer/labels';
import { type RenderContext, useAxis, useRender } from '../renderer/render-context';
import { useLayerStyle } from '../renderer/use-layer-style';
import { boxCss, chromeCss } from '../style/box-css';

/** Default glyph (manifest.md §8.3). */
const UNCHECKED: CheckboxGlyphStyle = {
  size: 18,
  radius: 4,
  border: { width: 2, color: { light: '#71717a', dark: '#a1a1aa' } },
};
const CHECKED: CheckboxGlyphStyle = {
  background: { light: '#18181b', dark: '#e4e4e7' },
  border: { color: { light: '#18181b', dark: '#e4e4e7' } },
  checkColor: { light: '#ffffff', dark: '#18181b' },
};

/** Style of the glyph: the checked one lies over the unchecked one. */
export function glyphStyle(layer: CheckboxLayer, checked: boolean): CheckboxGlyphStyle {
  const unchecked = mergeStyle(UNCHECKED, layer.uncheckedStyle);
  return checked ? mergeStyle(mergeStyle(unchecked, CHECKED), layer.checkedStyle) : unchecked;
}

export function CheckboxView({ layer }: { layer: CheckboxLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const { draft, interactive, setCheckbox, screen, locale } = context;
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
      aria-label={inputLabel(screen, layer, locale)}
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
  const { size = 18, checkColor, opacity = 1, ...chrome } = style;
  return (
    <span
      aria-hidden="true"
      style={{
        display: 'flex',
        alignItems: 'center',
        justifyContent: 'center',
        flexShrink: 0,
        width: size,
        height: size,
        ...chromeCss(chrome as CommonStyle, context),
        ...(opacity === 1 ? {} : { opacity }),
        color: resolveColor(checkColor, context.palette, context.theme),
      }}
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
