import { ColorPicker, Popover } from '@mantine/core';
import { useState } from 'react';
import { colorOf, tokenColor, tokens, withColor } from '../../color';
import { isObject } from '../../document/canonical';
import type { Json } from '../../document/operation';
import { useEditing, useEditorValue } from '../../useEditor';
import styles from '../Inspector.module.css';

type Props = { id: string; label: string; value: Json | undefined; change: (value: Json) => void };

/** A color: tokens of the theme first, then any; in the palette that the canvas shows. */
export function ColorInput({ id, label, value, change }: Props) {
  const { theme: palette } = useEditing();
  const theme = useEditorValue(({ document }) => document.flow.theme);
  const [typed, setTyped] = useState<string>();
  const color = colorOf(value, palette);
  const shown = tokenColor(color, theme) ?? color;
  const set = (color: string) => change(withColor(value, palette, color));
  const known = tokens.filter(([name]) => tokenColor(`$${name}`, theme));
  return (
    <span className={styles.color}>
      <Popover position="left-start" withinPortal trapFocus returnFocus>
        <Popover.Target>
          <button type="button" className={styles.swatch} aria-label={`Choose ${label}`}>
            <span style={shown ? { background: shown } : undefined} data-none={!shown || undefined} />
          </button>
        </Popover.Target>
        <Popover.Dropdown className={styles.picker}>
          {known.length > 0 && (
            <span className={styles.tokens}>
              {known.map(([name, words]) => (
                <button key={name} type="button" aria-pressed={color === `$${name}`} onClick={() => set(`$${name}`)}>
                  <span className={styles.dot} style={{ background: tokenColor(`$${name}`, theme) }} />
                  {words}
                </button>
              ))}
            </span>
          )}
          <label className={styles.both}>
            <input
              type="checkbox"
              checked={isObject(value)}
              onChange={({ target }) => change(target.checked ? { light: color, dark: color } : color)}
            />
            Differs in dark mode
          </label>
          <ColorPicker format="hexa" value={/^#/.test(shown) ? shown : '#000000'} onChange={set} size="sm" />
        </Popover.Dropdown>
      </Popover>
      <input
        id={id}
        value={typed ?? tokenName(color)}
        placeholder="Default"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => {
          if (typed !== undefined && typed.trim() !== '' && typed !== tokenName(color)) set(typed.trim());
          setTyped(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
    </span>
  );
}

const tokenName = (color: string) => tokens.find(([name]) => color === `$${name}`)?.[1] ?? color;
