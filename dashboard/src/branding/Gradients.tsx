import { Button, NumberInput, TextInput } from '@mantine/core';
import { SegmentedControl } from '../ui/SegmentedControl';
import styles from './Branding.module.css';
import type { PartProps } from './BrandingPage';
import { type Gradient, gradientCss, withEntry } from './brand';
import { ColorField } from './Colors';

/** Named gradients that backgrounds may have. */
export function Gradients({ brand: { gradientPresets: gradients }, change, editable }: PartProps) {
  const set = (at: number, entry: Gradient | undefined) => change({ gradientPresets: withEntry(gradients, at, entry) });
  return (
    <section className={styles.part}>
      <h3>Gradients</h3>
      {gradients.length === 0 && <p>No gradient yet.</p>}
      <ul className={styles.rows}>
        {gradients.map((gradient, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a new gradient has no id yet
          <li key={i} className={styles.row}>
            <GradientFields gradient={gradient} change={(entry) => set(i, entry)} editable={editable} />
          </li>
        ))}
      </ul>
      {editable && (
        <Button
          variant="default"
          onClick={() =>
            change({
              gradientPresets: [
                ...gradients,
                {
                  name: '',
                  type: 'linear',
                  angle: 180,
                  stops: [
                    { offset: 0, color: '#4353D9' },
                    { offset: 1, color: '#0E8A7D' },
                  ],
                },
              ],
            })
          }
        >
          Add gradient
        </Button>
      )}
    </section>
  );
}

type FieldsProps = { gradient: Gradient; change: (gradient: Gradient | undefined) => void; editable: boolean };

function GradientFields({ gradient, change, editable }: FieldsProps) {
  const { name, type, angle = 180, stops } = gradient;
  return (
    <>
      <span className={styles.gradient} style={{ background: gradientCss(gradient) }} />
      <TextInput
        aria-label="Name of the gradient"
        maxLength={50}
        required
        value={name}
        onChange={(event) => change({ ...gradient, name: event.target.value })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Type of the gradient"
        disabled={!editable}
        value={type}
        onChange={(value) => change({ ...gradient, type: value as Gradient['type'] })}
        data={[
          { value: 'linear', label: 'Linear' },
          { value: 'radial', label: 'Radial' },
        ]}
      />
      {type === 'linear' && (
        <NumberInput
          aria-label="Angle in degrees"
          w={90}
          min={0}
          max={360}
          suffix="°"
          value={angle}
          onChange={(value) => change({ ...gradient, angle: Number(value) })}
        />
      )}
      {stops.map((stop, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: stops have no ids
        <span key={i} className={styles.row}>
          <ColorField
            label={`Stop ${i + 1} of ${name || 'the new gradient'}`}
            value={stop.color}
            change={(color) => change({ ...gradient, stops: withEntry(stops, i, { ...stop, color }) })}
          />
          <NumberInput
            aria-label={`Position of stop ${i + 1} in percent`}
            w={84}
            min={0}
            max={100}
            suffix="%"
            value={Math.round(stop.offset * 100)}
            onChange={(value) =>
              change({ ...gradient, stops: withEntry(stops, i, { ...stop, offset: Number(value) / 100 }) })
            }
          />
        </span>
      ))}
      {editable && (
        <>
          <Button
            variant="subtle"
            onClick={() => change({ ...gradient, stops: [...stops, { offset: 1, color: '#FFFFFF' }] })}
          >
            Add stop
          </Button>
          {stops.length > 2 && (
            <Button variant="subtle" onClick={() => change({ ...gradient, stops: stops.slice(0, -1) })}>
              Remove last stop
            </Button>
          )}
          <Button variant="subtle" onClick={() => change(undefined)}>
            Remove
          </Button>
        </>
      )}
    </>
  );
}
