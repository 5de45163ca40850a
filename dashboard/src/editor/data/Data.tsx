import { TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { NodeId } from '../document/operation';
import { useEditing, useNode } from '../useEditor';
import { AddAttribute } from './AddAttribute';
import styles from './Data.module.css';
import { DatumRow } from './DatumRow';
import { type Datum, dataIn } from './data';

type Group = { id: Datum['group']; name: string; note: string; none: string };

const groups: readonly Group[] = [
  {
    ...{ id: 'field', name: 'Fields', note: 'Reports and segments know answers by these keys.' },
    none: 'No screen asks a question yet.',
  },
  {
    ...{ id: 'attribute', name: 'Attributes of the app', note: 'The app sends them by these keys.' },
    none: 'The app sends no attributes to this flow.',
  },
  { id: 'device', name: 'Device', note: 'The SDK knows these by itself.', none: '' },
];

/** All that the flow knows of a user: where each value is set and used. A key that is renamed is renamed everywhere. */
export function Data({ show }: { show: (node: NodeId) => void }) {
  const { editor, canEdit } = useEditing();
  const flow = useNode('flow')!;
  const data = useMemo(() => dataIn({ ...editor.document, flow }), [editor, flow]);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = wanted === '' ? data : data.filter((one) => wordsOf(one).includes(wanted));
  return (
    <section className={styles.page} aria-label="Data">
      <div className={styles.bar}>
        <TextInput
          size="xs"
          aria-label="Search data"
          placeholder="Search keys, options and screens"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          className={styles.search}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <section className={styles.scroll} tabIndex={0} aria-label="Values">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Type</th>
              <th scope="col">Set by</th>
              <th scope="col">Used in</th>
            </tr>
          </thead>
          {groups.map(({ id, name, note, none }) => {
            const rows = shown.filter(({ group }) => group === id);
            if (wanted !== '' && rows.length === 0) return null;
            return (
              <tbody key={id}>
                <tr>
                  <th colSpan={4} scope="colgroup" className={styles.group}>
                    {name} <small>{note}</small>
                  </th>
                </tr>
                {rows.map((one) => (
                  <DatumRow key={one.id} datum={one} show={show} />
                ))}
                {rows.length === 0 && (
                  <tr>
                    <td colSpan={4} className={styles.none}>
                      {none}
                    </td>
                  </tr>
                )}
                {id === 'attribute' && canEdit && <AddAttribute />}
              </tbody>
            );
          })}
        </table>
        {shown.length === 0 && <p className={styles.none}>No data has these words.</p>}
      </section>
    </section>
  );
}

/** All words by which a value is found. */
const wordsOf = ({ key, name, type, options, setBy, usedIn }: Datum) =>
  [
    ...[key, name, type],
    ...options.flatMap(({ value, label }) => [value, label]),
    ...[...setBy, ...usedIn].flatMap(({ step, layer }) => [step, layer]),
  ]
    .join('\n')
    .toLowerCase();
