import { Button, TextInput } from '@mantine/core';
import styles from './Branding.module.css';
import type { PartProps } from './BrandingPage';
import { withEntry } from './brand';

/** Named colors that layers may have. */
export function Colors({ brand: { colorPresets: colors }, change, editable }: PartProps) {
  const set = (at: number, entry: (typeof colors)[number] | undefined) =>
    change({ colorPresets: withEntry(colors, at, entry) });
  return (
    <section className={styles.part}>
      <h3>Colors</h3>
      {colors.length === 0 && <p>No color yet.</p>}
      <ul className={styles.rows}>
        {colors.map((color, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a new color has no id yet
          <li key={i} className={styles.row}>
            <ColorField
              label={`Color of ${color.name || 'the new one'}`}
              value={color.value}
              change={(value) => set(i, { ...color, value })}
            />
            <TextInput
              aria-label="Name of the color"
              maxLength={50}
              required
              value={color.name}
              onChange={(event) => set(i, { ...color, name: event.target.value })}
            />
            {editable && (
              <Button variant="subtle" onClick={() => set(i, undefined)}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      {editable && (
        <Button variant="default" onClick={() => change({ colorPresets: [...colors, { name: '', value: '#4353D9' }] })}>
          Add color
        </Button>
      )}
    </section>
  );
}

/** A color by eye or by its hex code, which may have an alpha. */
export function ColorField({
  label,
  value,
  change,
}: {
  label: string;
  value: string;
  change: (value: string) => void;
}) {
  return (
    <>
      <input
        type="color"
        className={styles.swatch}
        aria-label={label}
        value={value.slice(0, 7).toLowerCase()}
        onChange={(event) => change(event.target.value.toUpperCase() + value.slice(7))}
      />
      <TextInput
        aria-label={`${label}, as hex code`}
        w={110}
        pattern="#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?"
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    </>
  );
}
