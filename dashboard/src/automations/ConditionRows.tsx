import { ConditionTree, Remove } from '../sentences/ConditionTree';
import sentences from '../sentences/Sentences.module.css';
import { SuggestedInput } from '../ui/SuggestedInput';
import { type Comparison, type Operator, type Rows, readCondition, writeCondition } from './condition';
import styles from './WorkflowEditor.module.css';
import { conditionWords, operators } from './workflow';

const sources = { event: 'Event', person: 'User', attributes: 'Attribute', answers: 'Answer' };

/** The fields of users that conditions and emails know (docs/automations.md). */
export const personFields = [
  'email',
  'firstName',
  'lastName',
  'country',
  'locale',
  'timezone',
  'marketingConsent',
  'customUserId',
  'appUserId',
];

type Props = {
  label: string;
  condition: unknown;
  /** The attributes that are known of users. */
  attributes: readonly string[];
  /** Whether nothing but the event can be asked, as where it is decided whether it counts. */
  eventOnly?: boolean;
  change: (condition: unknown) => void;
};

/** A condition as sentences: what is compared, how, and with what. */
export function ConditionRows({ label, condition, attributes, eventOnly = false, change }: Props) {
  return (
    <ConditionTree
      label={label}
      tree={readCondition(condition)}
      put={(tree) => change(writeCondition(tree))}
      begin={begin}
      words={wordsOf}
      row={(row, change, remove) => <Row {...{ row, attributes, eventOnly, change, remove }} />}
    />
  );
}

const begin: Comparison = { is: 'clause', of: 'event', property: '', op: 'exists' };

const wordsOf = (tree: Rows) => conditionWords(writeCondition(tree));

type RowProps = Pick<Props, 'attributes'> & {
  row: Comparison;
  eventOnly: boolean;
  change: (row: Comparison) => void;
  remove: () => void;
};

function Row({ row, attributes, eventOnly, change, remove }: RowProps) {
  const { of, property, op, value } = row;
  const known = of === 'person' ? personFields : of === 'attributes' ? attributes : [];
  const typed = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  const without = op === 'exists' || op === 'absent';
  return (
    <fieldset className={sentences.clause} aria-label={wordsOf(row)}>
      <span className={styles.asked}>
        {!eventOnly && (
          <select
            aria-label="Of"
            className={sentences.how}
            value={of}
            onChange={({ target }) => change({ ...row, of: target.value })}
          >
            {Object.entries(sources).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
        <SuggestedInput
          aria-label="Property"
          placeholder="Property"
          className={sentences.value}
          value={property}
          suggestions={known}
          change={(property) => change({ ...row, property })}
        />
      </span>
      <Remove said={wordsOf(row)} remove={remove} />
      <span className={sentences.compared}>
        <select
          aria-label="Operator"
          className={sentences.how}
          value={op}
          onChange={({ target }) => change(compared(row, target.value as Operator, typed))}
        >
          {Object.entries(operators).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        {!without && (
          <input
            aria-label="Value"
            placeholder={op === 'in' ? 'One, another' : 'Value'}
            className={sentences.value}
            value={typed}
            onChange={({ target }) => change(compared(row, op, target.value))}
          />
        )}
      </span>
    </fieldset>
  );
}

function compared({ value: _, ...row }: Comparison, op: Operator, typed: string): Comparison {
  return op === 'exists' || op === 'absent' ? { ...row, op } : { ...row, op, value: comparedTo(op, typed) };
}

/** A value as it is compared: a number where it is written as one, true, false, or a text; a list of them for `in`. */
export function comparedTo(op: string, typed: string): unknown {
  if (op === 'in') return typed.split(',').map((part) => scalarOf(part.trim()));
  return scalarOf(typed);
}

function scalarOf(typed: string): unknown {
  if (typed === 'true' || typed === 'false') return typed === 'true';
  return /^-?(0|[1-9]\d{0,14})(\.\d*[1-9])?$/.test(typed) ? Number(typed) : typed;
}
