import { type FocusEvent, type ReactNode, useMemo, useRef } from 'react';
import { useRowsInSight } from '../../ui/useRowsInSight';
import type { NodeId } from '../document/operation';
import type { localesIn } from '../locales';
import { type Misfit, useMisfits } from '../misfits';
import { TextRow } from './TextRow';
import styles from './Translate.module.css';
import { completion, type FlowText } from './texts';

type Props = {
  all: readonly FlowText[];
  /** Those of them that have rows. */
  shown: readonly FlowText[];
  locales: ReturnType<typeof localesIn>;
  show: (layer: NodeId) => void;
  /** Is told which text is written, or was chosen, and in which language. */
  point: (text: FlowText, locale: string) => void;
  /** What stands below. */
  children: ReactNode;
};

/** A row of the table: the name of a screen, or a text of it. */
type Row = { key: string; name: string; text?: FlowText };

/** Texts by screen, a column for each language. Only the rows in sight are drawn, and the one that is written. */
export function TextTable({ all, shown, locales, show, point, children }: Props) {
  const scroller = useRef<HTMLElement>(null);
  const written = useRef<string>(undefined);
  const codes = locales.map(({ value }) => value);
  const misfits = useMisfitsByText();
  const rows = useMemo(() => rowsOf(shown), [shown]);
  const { inSight, total, measure } = useRowsInSight({
    scroller,
    count: rows.length,
    estimate: 37,
    keyOf: (index) => rows[index]!.key,
    // By its key: others add rows above it meanwhile.
    kept: () => rows.findIndex(({ key }) => key === written.current),
  });
  const focus = ({ target }: FocusEvent<HTMLElement>) => {
    const index = target.closest('tr')?.dataset.index;
    const row = index === undefined ? undefined : rows[Number(index)];
    written.current = row?.key;
    const locale = target.lang || codes[0]!;
    if (row?.text) point(row.text, codes.includes(locale) ? locale : codes[0]!);
  };
  const rest = total - (inSight.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
    <section ref={scroller} className={styles.scroll} tabIndex={0} aria-label="Texts" onFocus={focus}>
      <table className={styles.table} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">Layer</th>
            {locales.map(({ value, label }, at) => (
              <th key={value} scope="col">
                {label} <small>{at === 0 ? 'default' : percent(completion(all, value))}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {inSight.flatMap(({ index, start }, at) => {
            const { key, name, text } = rows[index]!;
            const gap = start - (inSight[at - 1]?.end ?? 0);
            return [
              gap > 0 && <tr key={`before ${key}`} style={{ height: gap }} />,
              text ? (
                <TextRow
                  key={key}
                  text={text}
                  locales={codes}
                  show={show}
                  misfits={misfits.get(key)}
                  index={index}
                  measure={measure}
                />
              ) : (
                <tr key={key} ref={measure} data-index={index} aria-rowindex={index + 2}>
                  <th colSpan={codes.length + 1} scope="colgroup" className={styles.screen}>
                    {name}
                  </th>
                </tr>
              ),
            ];
          })}
          {rest > 0 && <tr style={{ height: rest }} />}
        </tbody>
      </table>
      {children}
    </section>
  );
}

function rowsOf(texts: readonly FlowText[]): Row[] {
  let screen: NodeId | undefined;
  return texts.flatMap((text) => {
    const row = { key: text.key, name: text.layer, text };
    if (text.screen.id === screen) return [row];
    screen = text.screen.id;
    return [{ key: `screen ${screen}`, name: text.screen.name }, row];
  });
}

/** How texts do not fit, by text and language. Those of a text keep their identity while they are the same. */
function useMisfitsByText(): ReadonlyMap<string, ReadonlyMap<string, Misfit>> {
  const all = useMisfits();
  const last = useRef<ReadonlyMap<string, ReadonlyMap<string, Misfit>>>(new Map());
  return useMemo(() => {
    const made = new Map<string, Map<string, Misfit>>();
    for (const one of all) made.set(one.text, (made.get(one.text) ?? new Map()).set(one.locale, one));
    const said = (of: ReadonlyMap<string, Misfit> | undefined) => JSON.stringify([...(of?.values() ?? [])]);
    last.current = new Map(
      [...made].map(([text, of]) => {
        const before = last.current.get(text);
        return [text, before && said(before) === said(of) ? before : of];
      }),
    );
    return last.current;
  }, [all]);
}

/** Never 100 % while something is missing. */
const percent = (part: number) => `${Math.floor(part * 100)} %`;
