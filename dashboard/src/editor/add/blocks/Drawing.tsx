import styles from '../Add.module.css';

/** A bar of a drawing: x, y, width and height of 48 × 36; 'strong' for what stands out, 'field' for what lies below. */
type Bar = readonly [x: number, y: number, width: number, height: number, tone?: 'strong' | 'field'];

const rows = (count: number, y: number, step: number, row: (y: number) => readonly Bar[]): Bar[] =>
  Array.from({ length: count }, (_, at) => row(y + at * step)).flat();

const drawings: Record<string, readonly Bar[]> = {
  header: [
    [6, 6, 5, 5, 'strong'],
    [15, 7, 27, 3, 'field'],
    [15, 7, 14, 3, 'strong'],
    [6, 17, 24, 3],
    [6, 23, 36, 2, 'field'],
    [6, 28, 30, 2, 'field'],
  ],
  hero: [
    [12, 4, 24, 15, 'field'],
    [10, 22, 28, 4, 'strong'],
    [14, 29, 20, 2],
  ],
  features: rows(3, 6, 9, (y) => [
    [6, y, 6, 6, 'strong'],
    [16, y + 2, 26, 2],
  ]),
  actions: [
    [6, 6, 36, 2, 'field'],
    [6, 11, 28, 2, 'field'],
    [6, 18, 36, 7, 'strong'],
    [16, 29, 16, 2],
  ],
  question: [[6, 4, 26, 3, 'strong'], ...rows(3, 11, 8, (y) => [[6, y, 36, 6, 'field']]), [9, 13, 14, 2]],
  several: [
    [6, 3, 26, 3, 'strong'],
    ...rows(3, 9, 6, (y): Bar[] => [
      [6, y, 4, 4],
      [13, y + 1, 24, 2],
    ]),
    [6, 28, 36, 5, 'strong'],
  ],
  price: [
    [6, 3, 36, 30, 'field'],
    [10, 7, 12, 4, 'strong'],
    [24, 8, 8, 2],
    [10, 14, 24, 2],
    [10, 18, 20, 2],
    [10, 24, 28, 5, 'strong'],
  ],
  plans: rows(3, 4, 10, (y) => [
    [6, y, 36, 8, 'field'],
    [9, y + 2, 12, 2],
    [9, y + 5, 8, 1],
    [31, y + 2, 8, 3, 'strong'],
  ]),
  toggle: [
    [6, 11, 36, 14, 'field'],
    [9, 15, 14, 2, 'strong'],
    [9, 20, 18, 2],
    [33, 15, 6, 6, 'strong'],
  ],
  trial: [
    [8, 8, 2, 22, 'field'],
    ...rows(3, 5, 10, (y): Bar[] => [
      [6, y, 6, 6, 'strong'],
      [16, y, 12, 2],
      [16, y + 4, 24, 2, 'field'],
    ]),
  ],
  testimonial: [
    [6, 4, 36, 28, 'field'],
    ...Array.from({ length: 5 }, (_, at): Bar => [10 + at * 5, 8, 3, 3, 'strong']),
    [10, 15, 28, 2],
    [10, 20, 22, 2],
    [10, 26, 12, 2],
  ],
  proof: [0, 1, 2].flatMap((at): Bar[] => [
    [6 + at * 13, 12, 10, 5, 'strong'],
    [6 + at * 13, 21, 10, 2],
  ]),
  legal: [
    [6, 6, 36, 2, 'field'],
    [6, 11, 28, 2, 'field'],
    [6, 26, 9, 2],
    [19, 26, 9, 2],
    [32, 26, 9, 2],
  ],
};

export const isDrawn = (block: string): boolean => block in drawings;

/** A small drawing of a block. */
export function Drawing({ block }: { block: string }) {
  return (
    <svg className={styles.drawing} width={48} height={36} viewBox="0 0 48 36" aria-hidden="true">
      {drawings[block]!.map(([x, y, width, height, tone]) => (
        <rect
          key={`${x} ${y}`}
          x={x}
          y={y}
          width={width}
          height={height}
          rx={Math.min(1.5, height / 2)}
          data-tone={tone}
        />
      ))}
    </svg>
  );
}
