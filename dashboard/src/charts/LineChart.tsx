import { Button } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import type { Grain } from '../graphql/schema.gen';
import { type FigureKind, formatBucket, formatExact, formatTick } from '../ui/format';
import { areaOf, labeled, lineOf, notesOf, type Point, splitAtRunning, ticksTo, xOf } from './geometry';
import styles from './LineChart.module.css';
import { useWidth } from './useWidth';

/** A line. All lines of a chart have the same number of points; `compared` is drawn dashed: grey, or in the color of the
 * line that it belongs `of`. One that is `undrawn` has its values all the same, beside the crosshair and for readers. A `hatched` one was
 * counted elsewhere. */
export type Line = {
  name: string;
  points: readonly Point[];
  compared?: boolean;
  of?: number;
  undrawn?: boolean;
  hatched?: boolean;
};

/** Something that happened at a time and may explain what the lines do. */
export type Annotation = { at: string; text: string };

/** A line of values, and dashed beside it the same of what it is compared with, as far as the first one goes. */
export function comparedLines<Row extends { bucket: string }>(
  name: string,
  rows: readonly Row[],
  read: (row: Row) => number | null,
  comparedName: string,
  compared: readonly Row[] | null | undefined,
): Line[] {
  const points = (of: readonly Row[]) => of.map((row) => ({ bucket: row.bucket, value: read(row) }));
  const line = { name, points: points(rows) };
  return compared
    ? [line, { name: comparedName, compared: true, points: points(compared.slice(0, rows.length)) }]
    : [line];
}

export type LineChartProps = {
  /** What the chart shows, for readers. */
  title: string;
  lines: readonly Line[];
  kind: FigureKind;
  grain: Grain;
  zone: string;
  /** The index of the bucket that is not over yet: from there on lines are dotted and the ground is hatched. */
  running?: number;
  height?: number;
  /** In any order; those beside the chart's time are left out. */
  annotations?: readonly Annotation[];
  /** Called with the first and last bucket that somebody dragged over. */
  zoom?: (first: string, last: string) => void;
  /** Called with the bucket that somebody clicked on, or where they pressed Enter. */
  open?: (bucket: string) => void;
  /** What the dashed lines are, for a legend. */
  comparedName?: string;
};

const left = 44;
const top = 12;
const foot = 24;

/** Figures over time. Arrow keys move the crosshair; the table behind it is for screen readers. */
export function LineChart(props: LineChartProps) {
  const { title, lines, kind, grain, zone, running, height = 260, zoom, open, annotations = [] } = props;
  const [ref, full] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const [from, setFrom] = useState<number>();
  // A finger covers what it points at: what it tapped stays until it taps elsewhere.
  const [tapped, setTapped] = useState(false);
  const hatch = useId();
  const first = lines[0]?.points ?? [];
  const n = first.length;
  const width = Math.max(0, full - left - 12);
  const tall = height - top - foot;
  // There is no half of what is counted.
  const drawn = lines.map((line, i) => ({ line, color: colorOf(line, i) })).filter(({ line }) => !line.undrawn);
  const ticks = ticksTo(Math.max(0, ...drawn.flatMap(({ line }) => line.points.map(({ value }) => value ?? 0)))).filter(
    (tick) => kind !== 'count' || Number.isInteger(tick),
  );
  const notes = notesOf(
    first.map(({ bucket }) => bucket),
    annotations,
    new Date().toISOString(),
  );
  // Hours of many days are told apart by their days.
  const axis = grain === 'HOUR' && n > 48 ? 'DAY' : grain;
  const room = axis === 'HOUR' ? 92 : 72;
  const x = (i: number) => left + xOf(i, n, width);
  // A label shortly before the end stays whole.
  const labelAt = (i: number) => (anchorOf(i, n) === 'middle' ? Math.min(x(i), full - room / 3) : x(i));
  const y = (value: number) => top + tall - (value / ticks.at(-1)!) * tall;
  const nearest = (event: PointerEvent<SVGSVGElement>) => {
    const inside = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    return Math.min(n - 1, Math.max(0, Math.round((inside / Math.max(1, width)) * (n - 1))));
  };
  const press = (event: PointerEvent<SVGSVGElement>) => {
    const finger = event.pointerType === 'touch';
    setTapped(finger);
    if (finger) setAt(nearest(event));
    else if (zoom || open) setFrom(nearest(event));
  };
  const leave = (event: PointerEvent<SVGSVGElement>) => {
    if (event.pointerType === 'touch') return;
    setAt(undefined);
    setFrom(undefined);
  };
  const release = () => {
    if (zoom && from !== undefined && at !== undefined && from !== at) {
      zoom(first[Math.min(from, at)]!.bucket, first[Math.max(from, at)]!.bucket);
    } else if (from !== undefined && from === at) {
      open?.(first[at]!.bucket);
    }
    setFrom(undefined);
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -n, End: n }[event.key];
    if (event.key === 'Escape') setAt(undefined);
    if (event.key === 'Enter' && at !== undefined) open?.(first[at]!.bucket);
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // the page moves its range by the same keys
    setAt((before) => Math.min(n - 1, Math.max(0, (before ?? (step > 0 ? -1 : n)) + step)));
  };
  const hatchFrom = running === undefined ? undefined : x(Math.max(0, running - 0.5));
  return (
    <figure
      className={styles.chart}
      ref={ref}
      onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || setAt(undefined)}
    >
      {full > 0 && n > 0 && (
        <svg
          width={full}
          height={height}
          viewBox={`0 0 ${full} ${height}`}
          role="img"
          aria-label={`${title}. Arrow keys read its values${open ? ', Enter opens the notes there' : ''}; a table follows.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move its crosshair
          tabIndex={0}
          onKeyDown={move}
          onPointerMove={(event) => setAt(nearest(event))}
          onPointerLeave={leave}
          onPointerDown={press}
          onPointerUp={release}
          data-zoom={zoom ? true : undefined}
        >
          <defs>
            <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line x1="0" y1="0" x2="0" y2="6" className={styles.hatch} />
            </pattern>
            <pattern id={`${hatch}e`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line x1="0" y1="0" x2="0" y2="6" className={styles.elsewhere} />
            </pattern>
          </defs>
          {hatchFrom !== undefined && (
            <rect
              x={hatchFrom}
              y={top}
              width={Math.max(0, left + width - hatchFrom)}
              height={tall}
              fill={`url(#${hatch})`}
            />
          )}
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={left} x2={left + width} y1={y(tick)} y2={y(tick)} className={styles.grid} />
              <text x={left - 8} y={y(tick) + 4} textAnchor="end" className={styles.tick}>
                {formatTick(tick, kind)}
              </text>
            </g>
          ))}
          {labeled(n, width, room, axis === grain ? 1 : 24).map((i) => (
            <text key={i} x={labelAt(i)} y={height - 6} textAnchor={anchorOf(i, n)} className={styles.tick}>
              {formatBucket(first[i]!.bucket, zone, axis)}
            </text>
          ))}
          {[...notes].map(([i, texts]) => (
            <g key={i} className={styles.note}>
              <line x1={x(i)} x2={x(i)} y1={top} y2={top + tall} />
              <circle cx={x(i)} cy={top + tall} r="4" />
              <title>{texts.join('\n')}</title>
            </g>
          ))}
          {from !== undefined && at !== undefined && (
            <rect
              x={x(Math.min(from, at))}
              y={top}
              width={Math.abs(x(at) - x(from))}
              height={tall}
              className={styles.dragged}
            />
          )}
          {drawn.map(({ line, color }) => (
            <Drawn
              key={line.name}
              line={line}
              color={color}
              running={running}
              x={x}
              y={y}
              area={lines.filter((l) => !l.compared && !l.hatched).length === 1}
              hatch={`url(#${hatch}e)`}
              behind={line.of !== undefined}
            />
          ))}
          {at !== undefined && (
            <g>
              <line x1={x(at)} x2={x(at)} y1={top} y2={top + tall} className={styles.cross} />
              {drawn.map(({ line, color }) => {
                const value = line.points[at]?.value;
                return value == null ? null : (
                  <circle key={line.name} cx={x(at)} cy={y(value)} r="3.5" fill={color} className={styles.dot} />
                );
              })}
            </g>
          )}
        </svg>
      )}
      {at !== undefined && first[at] && (
        <Values
          {...props}
          notes={notes.get(at)}
          at={at}
          left={x(at)}
          right={full}
          incomplete={running !== undefined && at >= running}
          open={tapped ? open : undefined}
        />
      )}
      <div className="reader">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {lines.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first.map(({ bucket }, i) => (
              <tr key={bucket}>
                <th scope="row">{[formatBucket(bucket, zone, grain, true), ...(notes.get(i) ?? [])].join('; ')}</th>
                {lines.map(({ name, points }) => (
                  <td key={name}>{formatExact(points[i]?.value, kind)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Labels at the ends stay inside. */
const anchorOf = (i: number, n: number) => (n > 1 && i === 0 ? 'start' : n > 1 && i === n - 1 ? 'end' : 'middle');

export const colorOf = ({ compared, of, hatched }: Line, i: number) =>
  hatched || (compared && of === undefined) ? 'var(--compare)' : `var(--series-${((of ?? i) % 10) + 1})`;

type DrawnProps = {
  line: Line;
  color: string;
  running?: number;
  x: (i: number) => number;
  y: (value: number) => number;
  area: boolean;
  /** What fills the ground below a hatched line. */
  hatch: string;
  /** It has the color of a line that it is compared with, and steps back behind it. */
  behind: boolean;
};

function Drawn({ line, color, running, x, y, area, hatch, behind }: DrawnProps) {
  const values = line.points.map(({ value }) => value);
  if (line.hatched) {
    return (
      <>
        <path d={areaOf(values, x, y)} fill={hatch} />
        <path d={lineOf(values, x, y)} stroke={color} className={styles.line} />
      </>
    );
  }
  if (line.compared) {
    return (
      <path
        d={lineOf(values, x, y)}
        stroke={color}
        className={styles.line}
        data-back={behind || undefined}
        strokeDasharray="4 4"
      />
    );
  }
  const { final, growing } = splitAtRunning(values, running);
  return (
    <>
      {area && <path d={areaOf(values, x, y)} className={styles.area} />}
      <path d={lineOf(final, x, y)} stroke={color} className={styles.line} />
      <path d={lineOf(growing, x, y)} stroke={color} className={styles.line} strokeDasharray="2 4" />
    </>
  );
}

/** All lines at one bucket, beside the crosshair. */
function Values({
  lines,
  kind,
  grain,
  zone,
  at,
  left,
  right,
  incomplete,
  notes = [],
  open,
}: LineChartProps & { at: number; left: number; right: number; incomplete: boolean; notes?: readonly string[] }) {
  const own = lines.find(({ compared }) => !compared) ?? lines[0]!;
  // The one dashed line of another period is told by its own time.
  const nameOf = ({ name, compared, of }: Line, bucket: string | undefined) =>
    compared && of === undefined && bucket && bucket !== own.points[at]!.bucket
      ? formatBucket(bucket, zone, grain, true)
      : name;
  return (
    <div
      className={styles.values}
      style={left > right / 2 ? { right: right - left + 12 } : { left: left + 12 }}
      aria-live="polite"
    >
      <strong>{formatBucket(own.points[at]!.bucket, zone, grain, true)}</strong>
      {incomplete && <em>not over yet</em>}
      <dl>
        {lines.map((line, i) => {
          const point = line.points[at];
          return (
            <div key={line.name}>
              <dt>
                <i style={{ background: colorOf(line, i) }} />
                {nameOf(line, point?.bucket)}
              </dt>
              <dd>{formatExact(point?.value, kind)}</dd>
            </div>
          );
        })}
      </dl>
      {notes.map((text) => (
        <small key={text}>{text}</small>
      ))}
      {open && (
        <Button
          variant="default"
          mt="xs"
          onPointerDown={(event) => event.preventDefault()} // the chart keeps the focus, so that this stays to be pressed
          onClick={() => open(own.points[at]!.bucket)}
        >
          Notes
        </Button>
      )}
    </div>
  );
}
