import { memo } from 'react';
import { colorOf, type Line, LineChart, type LineChartProps } from './LineChart';
import styles from './ValueChart.module.css';

type Series = { value: string; points: readonly { bucket: string; value: number | null }[] };
type Props = Omit<LineChartProps, 'lines'> & {
  series: readonly Series[];
  /** The same of what it is compared with, in an order of its own. */
  compared?: readonly Series[] | null;
  nameOf: (value: string) => string;
};

/** So many of the greatest have a dashed line beside theirs: more of them hide what they are beside. What the others are
 * compared with stands among the values of a bucket. */
const mostCompared = 3;

/** The greatest values of a dimension over time, each with its name in the color of its line. It is drawn again only for
 * other figures: it is the most of a report. */
export const ValueChart = memo(function ValueChart({ series, compared, nameOf, ...chart }: Props) {
  const lines: Line[] = series.map(({ value, points }) => ({ name: nameOf(value), points }));
  const beside = (compared ?? []).flatMap(({ value, points }): Line[] => {
    const of = series.findIndex((own) => own.value === value);
    if (of < 0) return [];
    const length = series[of]!.points.length;
    return [
      {
        name: `${nameOf(value)}, ${chart.comparedName ?? 'compared'}`,
        compared: true,
        of,
        undrawn: of >= mostCompared,
        points: points.slice(0, length),
      },
    ];
  });
  return (
    <>
      <LineChart {...chart} lines={[...lines, ...beside]} />
      <ul className={styles.legend} aria-hidden="true">
        {lines.map((line, i) => (
          <li key={line.name}>
            <i style={{ background: colorOf(line, i) }} />
            {line.name}
          </li>
        ))}
        {beside.length > 0 && (
          <li>
            ┄ {chart.comparedName}
            {lines.length > mostCompared && `, of the first ${mostCompared}`}
          </li>
        )}
      </ul>
    </>
  );
});
