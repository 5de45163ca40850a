import { Popover } from '@mantine/core';
import { useState } from 'react';
import { SegmentedControl } from '../../../ui/SegmentedControl';
import { colorOf, cssOfColor, nameOfColor, type Palette, palettes, withColor } from '../../color';
import { isObject } from '../../document/canonical';
import type { Json, NodeId } from '../../document/operation';
import { useEditing, useEditorValue } from '../../useEditor';
import styles from '../color/Color.module.css';
import { GradientBar } from '../color/GradientBar';
import { gradientFrom, gradientText, readGradient } from '../color/gradient';
import { Palettes } from '../color/Palettes';
import { Picker } from '../color/Picker';
import { Tokens } from '../color/Tokens';
import inspector from '../Inspector.module.css';

type Props = {
  id: string;
  node: NodeId;
  path: readonly string[];
  label: string;
  value: Json | undefined;
  gradients: boolean;
  /** What no value means. */
  none: string;
  change: (value: Json) => void;
};

/** A color: in the palettes of which it has its own, and all that it can be in a popover. */
export function ColorInput(props: Props) {
  const { id, label, value, none, change } = props;
  const { theme: palette, library } = useEditing();
  const theme = useEditorValue(({ document }) => document.flow.theme);
  const [typed, setTyped] = useState<string>();
  const color = colorOf(value, palette);
  const name = nameOfColor(color, library.branding);
  return (
    <span className={inspector.color}>
      <Popover position="left-start" withinPortal trapFocus returnFocus width={264}>
        <Popover.Target>
          <button type="button" className={styles.swatch} aria-label={`Choose ${label}`}>
            {(isObject(value) ? palettes : [palette]).map((one) => {
              const background = cssOfColor(colorOf(value, one), theme, library.branding);
              return (
                <span key={one} style={background ? { background } : undefined} data-none={!background || undefined} />
              );
            })}
          </button>
        </Popover.Target>
        <Popover.Dropdown className={styles.picker}>
          <Chooser {...props} />
        </Popover.Dropdown>
      </Popover>
      <input
        id={id}
        value={typed ?? name}
        placeholder={none}
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => {
          if (typed !== undefined && typed.trim() !== '' && typed !== name)
            change(withColor(value, palette, typed.trim()));
          setTyped(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
    </span>
  );
}

function Chooser({ node, path, value, gradients, change }: Props) {
  const { editor, theme: palette, library } = useEditing();
  const theme = useEditorValue(({ document }) => document.flow.theme);
  const [side, setSide] = useState<Palette>(palette);
  const color = colorOf(value, side);
  const css = cssOfColor(color, theme, library.branding) ?? '#000000';
  // A drag that ends where it began is no undo.
  const set = (to: string) => to !== color && change(withColor(value, side, to));
  const settle = () => editor.endGesture();
  const gradient = gradients ? readGradient(css) : undefined;
  // What names stand for has no names itself, and is the same in both modes.
  const isNamed = path[0] === 'theme';
  return (
    <>
      {!isNamed && (
        <>
          <Palettes node={node} path={path} value={value} side={side} choose={setSide} change={set} />
          <label className={styles.both}>
            <input
              type="checkbox"
              checked={isObject(value)}
              onChange={({ target }) => change(target.checked ? { light: color || css, dark: color || css } : color)}
            />
            Differs in dark mode
          </label>
          <Tokens color={color} gradients={gradients} change={set} />
        </>
      )}
      {gradients && (
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Fill"
          value={gradient ? 'gradient' : 'color'}
          onChange={(to) =>
            set(to === 'gradient' ? gradientText(gradientFrom(color && css)) : (gradient?.stops[0]?.color ?? css))
          }
          data={[
            { value: 'color', label: 'Color' },
            { value: 'gradient', label: 'Gradient' },
          ]}
        />
      )}
      {gradient ? (
        <GradientBar gradient={gradient} change={(to) => set(gradientText(to))} settle={settle} />
      ) : (
        <Picker color={css} change={set} settle={settle} />
      )}
    </>
  );
}
