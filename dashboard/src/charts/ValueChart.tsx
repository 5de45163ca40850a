import type { Grain } from '../graphql/schema.gen';
import type { FigureKind } from '../ui/format';
import { type Annotation, colorOf, LineChart } from './LineChart';
import styles from './ValueChart.module.css';

type Series = { value: string; points: readonly { bucket: string; value: number | null }[] };
type Props = {
  title: string;
  series: readonly Series[];
  nameOf: (value: string) => string;
  kind: FigureKind;
  grain: Grain;
  zone: string;
  running?: number;
  annotations?: readonly Annotation[];
  zoom?: (first: string, last: string) => void;
};

/** The greatest values of a dimension over time, each with its name in the colour of its line. */
export function ValueChart({ series, nameOf, ...chart }: Props) {
  const lines = series.map(({ value, points }) => ({ name: nameOf(value), points }));
  return (
    <>
      <LineChart {...chart} lines={lines} />
      <ul className={styles.legend} aria-hidden="true">
        {lines.map((line, i) => (
          <li key={line.name}>
            <i style={{ background: colorOf(line, i) }} />
            {line.name}
          </li>
        ))}
      </ul>
    </>
  );
}
