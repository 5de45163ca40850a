import { Button, NativeSelect, TextInput } from '@mantine/core';
import { Icon } from '../ui/Icon';
import styles from './WorkflowEditor.module.css';
import { conditionWords, operators } from './workflow';

type Comparison = { of: string; property: string; op?: string; value?: unknown };

const sources = { event: 'Event', person: 'User', attributes: 'Attribute', answers: 'Answer' };

/** The comparisons of a condition that is a list of them; undefined for one that is put together otherwise. */
function rowsOf(condition: unknown): { match: 'all' | 'any'; rows: Comparison[] } | undefined {
  if (typeof condition !== 'object' || condition === null) return { match: 'all', rows: [] };
  const group = condition as { all?: unknown; any?: unknown };
  const match = Array.isArray(group.any) ? 'any' : 'all';
  const rows = group[match] ?? [condition];
  const plain = (row: unknown) => typeof row === 'object' && row !== null && 'of' in row && 'property' in row;
  return Array.isArray(rows) && rows.every(plain) ? { match, rows: rows as Comparison[] } : undefined;
}

/** A condition as sentences: what is compared, how, and with what. */
export function ConditionRows({ condition, change }: { condition: unknown; change: (condition: unknown) => void }) {
  const read = rowsOf(condition);
  if (!read)
    return <p className={styles.note}>{conditionWords(condition)}. Change groups in groups under Definition.</p>;
  const { match, rows } = read;
  const put = (match: string, rows: Comparison[]) => change({ [match]: rows });
  const set = (i: number, row: Comparison) =>
    put(
      match,
      rows.map((one, at) => (at === i ? row : one)),
    );
  return (
    <div className={styles.rows}>
      {rows.length > 1 && (
        <NativeSelect
          aria-label="Match"
          value={match}
          onChange={({ target }) => put(target.value, rows)}
          data={[
            { value: 'all', label: 'All of these hold' },
            { value: 'any', label: 'Any of these holds' },
          ]}
        />
      )}
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: comparisons have nothing but their order
        <fieldset key={i} className={styles.comparison}>
          <legend>Condition {i + 1}</legend>
          <NativeSelect
            aria-label="Of"
            value={row.of}
            onChange={({ target }) => set(i, { ...row, of: target.value })}
            data={Object.entries(sources).map(([value, label]) => ({ value, label }))}
          />
          <TextInput
            aria-label="Property"
            placeholder="Property"
            value={row.property}
            onChange={({ target }) => set(i, { ...row, property: target.value })}
          />
          <NativeSelect
            aria-label="Operator"
            value={row.op ?? 'eq'}
            onChange={({ target }) => set(i, withOperator(row, target.value))}
            data={Object.entries(operators).map(([value, label]) => ({ value, label }))}
          />
          {row.op !== 'exists' && row.op !== 'absent' && (
            <TextInput
              aria-label="Value"
              placeholder="Value"
              value={Array.isArray(row.value) ? row.value.join(', ') : String(row.value ?? '')}
              onChange={({ target }) => set(i, { ...row, value: comparedTo(row.op, target.value) })}
            />
          )}
          {rows.length > 1 && (
            <button
              type="button"
              className={styles.remove}
              aria-label={`Remove condition ${i + 1}`}
              onClick={() =>
                put(
                  match,
                  rows.filter((_, at) => at !== i),
                )
              }
            >
              <Icon name="close" size={12} />
            </button>
          )}
        </fieldset>
      ))}
      <Button
        size="xs"
        variant="default"
        disabled={rows.length >= 50}
        onClick={() => put(match, [...rows, { of: 'event', property: '', op: 'exists' }])}
      >
        Add condition
      </Button>
    </div>
  );
}

function withOperator({ value, ...row }: Comparison, op: string): Comparison {
  if (op === 'exists' || op === 'absent') return { ...row, op };
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return { ...row, op, value: comparedTo(op, text) };
}

/** A value as it is compared: a number where it is written as one, true, false, or a text; a list of them for `in`. */
export function comparedTo(op: string | undefined, typed: string): unknown {
  if (op === 'in') return typed.split(',').map((part) => scalarOf(part.trim()));
  return scalarOf(typed);
}

function scalarOf(typed: string): unknown {
  if (typed === 'true' || typed === 'false') return typed === 'true';
  return /^-?(0|[1-9]\d{0,14})(\.\d*[1-9])?$/.test(typed) ? Number(typed) : typed;
}
