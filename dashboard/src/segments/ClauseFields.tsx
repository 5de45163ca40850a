import type { EventCondition, FlowConditionOutcome, MoneyCondition, SeenCondition } from '../graphql/schema.gen';
import { Remove } from '../sentences/ConditionTree';
import sentences from '../sentences/Sentences.module.css';
import { about, type Clause, subjectOf, subjects, withoutValue } from './condition';
import type { Goal } from './journey';
import type { Suggestions } from './queries';
import styles from './Segments.module.css';
import { NameField, NumberField, Texts, textOperators, ValueFields } from './ValueFields';
import { clauseWords, flowDetails, goalWords, journeyWords, type Names, periodWords } from './words';

export type Known = {
  flows: readonly { id: string; name: string }[];
  goals: readonly Goal[];
  names: Names;
  suggestions: Suggestions;
};

type Props = { clause: Clause; known: Known; change: (clause: Clause) => void; remove: () => void };

/** One question about users: what, how, and with what. */
export function ClauseFields({ clause, known, change, remove }: Props) {
  const subject = subjectOf(clause);
  const said = `Users ${clauseWords(clause, known.names)}`;
  return (
    <fieldset className={sentences.clause} aria-label={said}>
      <select
        aria-label="What"
        className={sentences.what}
        value={subject.id}
        onChange={({ target }) => change(about(subjects.find(({ id }) => id === target.value)!, clause))}
      >
        {!subjects.some(({ id }) => id === subject.id) && <option value={subject.id}>{subject.name}</option>}
        {groups.map(([group, members]) => (
          <optgroup key={group} label={group}>
            {members.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <Remove said={said} remove={remove} />
      <span className={sentences.compared}>
        <Fields clause={clause} known={known} change={change} />
      </span>
    </fieldset>
  );
}

const groups = [...new Set(subjects.map(({ group }) => group))].map(
  (group) => [group, subjects.filter((one) => one.group === group)] as const,
);

function Fields({ clause, known, change }: Omit<Props, 'remove'>) {
  switch (clause.kind) {
    case 'person': {
      const { field, op, texts } = clause.of;
      const put = (of: Partial<typeof clause.of>) => change({ ...clause, of: { field, op, texts, ...of } });
      const options = known.suggestions.fields[field] ?? [];
      return (
        <>
          <Choice
            label="How"
            value={op}
            options={textOperators.map(({ op, words }) => [op, words])}
            change={(op) => put({ op, texts: withoutValue.has(op) ? undefined : (texts ?? []) })}
          />
          {!withoutValue.has(op) && (
            <Texts
              texts={texts ?? []}
              options={options}
              closed={op.startsWith('IS') && options.some(({ value, label }) => value !== label)}
              change={(texts) => put({ texts })}
            />
          )}
        </>
      );
    }
    case 'attribute': {
      const { of } = clause;
      return (
        <>
          <NameField
            label="Name of the attribute"
            placeholder="Attribute"
            value={of.key}
            options={[...known.suggestions.attributes.keys()]}
            change={(key) => change({ ...clause, of: { ...of, key } })}
          />
          <ValueFields
            value={of}
            options={known.suggestions.attributes.get(of.key) ?? []}
            change={(of) => change({ ...clause, of })}
          />
        </>
      );
    }
    case 'seen':
      return <Seen of={clause.of} change={(of) => change({ ...clause, of })} />;
    case 'event':
      return <Event clause={clause} known={known} change={change} />;
    case 'flow':
      return <Flow clause={clause} known={known} change={change} />;
    case 'money':
      return <Money clause={clause} known={known} change={change} />;
    case 'goal':
      return <Conversion clause={clause} known={known} change={change} />;
    case 'funnel':
    case 'path':
      return <Journey clause={clause} known={known} change={change} />;
  }
}

function Seen({ of, change }: { of: SeenCondition; change: (of: SeenCondition) => void }) {
  const { which, withinDays, beforeDays } = of;
  const count = withinDays ?? beforeDays ?? 7;
  const put = (before: boolean, count: number) =>
    change({ which, ...(before ? { beforeDays: count } : { withinDays: count }) });
  return (
    <>
      <Choice
        label="How"
        value={beforeDays ? 'before' : 'within'}
        options={[
          ['within', 'in the last'],
          ['before', 'more than'],
        ]}
        change={(when) => put(when === 'before', count)}
      />
      <NumberField label="Days" value={count} min={1} max={1827} change={(count) => put(Boolean(beforeDays), count)} />
      <span className={styles.unit}>{beforeDays ? 'days ago' : 'days'}</span>
    </>
  );
}

type Of<Kind extends Clause['kind']> = {
  clause: Extract<Clause, { kind: Kind }>;
  known: Known;
  change: (clause: Clause) => void;
};

function Event({ clause, known, change }: Of<'event'>) {
  const { of, not } = clause;
  const put = (part: Partial<EventCondition>) => change({ ...clause, of: { ...of, ...part } });
  const properties = of.properties ?? [];
  return (
    <>
      <Choice
        label="How"
        value={not ? 'not' : 'did'}
        options={[
          ['did', 'was done'],
          ['not', 'was not done'],
        ]}
        change={(how) => change({ ...clause, not: how === 'not' })}
      />
      <NameField
        label="Name of the event"
        placeholder="Event"
        value={of.name}
        options={of.source === 'TRACK' ? [] : known.suggestions.events}
        change={(name) => put({ name })}
      />
      <span className={styles.unit}>at least</span>
      <NumberField label="Times" value={of.atLeast ?? 1} min={1} max={10_000} change={(atLeast) => put({ atLeast })} />
      <span className={styles.unit}>{of.atLeast === 1 ? 'time' : 'times'}</span>
      <Period of={of} usual="in the segment’s days" change={put} />
      {properties.map((property, i) => {
        const set = (to: typeof property) => put({ properties: properties.map((one, at) => (at === i ? to : one)) });
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: properties have nothing but their order
          <fieldset key={i} className={styles.property} aria-label={`Property ${i + 1}`}>
            <span className={styles.unit}>where</span>
            <NameField
              label="Name of the property"
              placeholder="Property"
              value={property.key}
              options={[]}
              change={(key) => set({ ...property, key })}
            />
            <ValueFields value={property} options={[]} change={set} />
            <Remove
              said={`property ${i + 1}`}
              remove={() => put({ properties: properties.filter((_, at) => at !== i) })}
            />
          </fieldset>
        );
      })}
      {properties.length < 10 && (
        <button
          type="button"
          className={styles.more}
          onClick={() => put({ properties: [...properties, { key: '', op: 'EXISTS' }] })}
        >
          Add property
        </button>
      )}
    </>
  );
}

const outcomes: readonly [`${'not ' | ''}${FlowConditionOutcome}`, string][] = [
  ['STARTED', 'was started'],
  ['COMPLETED', 'was completed'],
  ['ABANDONED', 'was abandoned'],
  ['not STARTED', 'was not started'],
  ['not COMPLETED', 'was not completed'],
  ['not ABANDONED', 'was not abandoned'],
];

function Flow({ clause, known, change }: Of<'flow'>) {
  const { of, not } = clause;
  const { flowId, outcome, withinDays, from, to } = of;
  const details = flowDetails(of, known.names);
  return (
    <>
      <Choice
        label="Which flow"
        value={flowId ?? ''}
        options={[
          ['', 'Any flow'],
          ...known.flows.map(({ id, name }): [string, string] => [id, name]),
          ...(flowId && !known.flows.some(({ id }) => id === flowId) ? [[flowId, 'A deleted flow'] as const] : []),
        ]}
        // Versions, steps and answers are those of the flow.
        change={(id) => change({ ...clause, of: { outcome, withinDays, from, to, ...(id && { flowId: id }) } })}
      />
      <Choice
        label="How"
        value={`${not ? 'not ' : ''}${outcome}` as const}
        options={outcomes}
        change={(how) => {
          const outcome = how.replace('not ', '') as FlowConditionOutcome;
          change({ ...clause, of: { ...of, outcome }, not: how.startsWith('not ') });
        }}
      />
      {details && <span className={styles.unit}>{details}</span>}
      <Period of={of} usual="in the segment’s days" change={(part) => change({ ...clause, of: { ...of, ...part } })} />
    </>
  );
}

function Money({ clause, change }: Of<'money'>) {
  const { of, not } = clause;
  const { kind, usd, products } = of;
  const put = (part: Partial<MoneyCondition>) => change({ ...clause, of: { ...of, ...part } });
  const now = kind === 'SUBSCRIBED' || kind === 'TRIALING';
  const words = now ? (['is there now', 'is not there now'] as const) : (['was made', 'was not made'] as const);
  const [yes, no] = kind === 'REVENUE' ? (['is at least', 'is less than'] as const) : words;
  return (
    <>
      <Choice
        label="How"
        value={not ? 'not' : 'is'}
        options={[
          ['is', yes],
          ['not', no],
        ]}
        change={(how) => change({ ...clause, not: how === 'not' })}
      />
      {kind === 'REVENUE' && (
        <>
          <NumberField label="US dollars" value={usd ?? 1} change={(usd) => put({ usd })} />
          <span className={styles.unit}>USD</span>
        </>
      )}
      {products && <span className={styles.unit}>of {products.join(', ')}</span>}
      {!now && <Period of={of} usual="at any time" change={put} />}
    </>
  );
}

function Conversion({ clause, known, change }: Of<'goal'>) {
  const { of, not } = clause;
  const options = new Map(known.goals.map(({ condition, name }) => [JSON.stringify(condition), name]));
  const chosen = JSON.stringify(of.condition);
  if (!options.has(chosen))
    options.set(chosen, chosen === '{}' ? 'Choose a goal' : goalWords(of.condition, known.names));
  return (
    <>
      <Choice
        label="Which goal"
        value={chosen}
        options={[...options]}
        change={(text) => change({ ...clause, of: { ...of, condition: JSON.parse(text) as typeof of.condition } })}
      />
      <Choice
        label="How"
        value={not ? 'not' : 'met'}
        options={[
          ['met', 'was met'],
          ['not', 'was not met'],
        ]}
        change={(how) => change({ ...clause, not: how === 'not' })}
      />
      <Period of={of} usual="in the segment’s days" change={(span) => change({ ...clause, of: { ...of, ...span } })} />
    </>
  );
}

/** What a report made of its picture, in words: whether it holds and when can be changed. */
function Journey({ clause, known, change }: Of<'funnel' | 'path'>) {
  const put = (span: Span) =>
    change(
      clause.kind === 'funnel'
        ? { ...clause, of: { ...clause.of, ...span } }
        : { ...clause, of: { ...clause.of, ...span } },
    );
  return (
    <>
      <Choice
        label="How"
        value={clause.not ? 'not' : 'is'}
        options={[
          ['is', 'users'],
          ['not', 'not users'],
        ]}
        change={(how) => change({ ...clause, not: how === 'not' })}
      />
      <span className={styles.unit}>{journeyWords(clause, known.names)}</span>
      <Period of={clause.of} usual="in the segment’s days" change={put} />
    </>
  );
}

type Span = Pick<EventCondition, 'withinDays' | 'from' | 'to'>;

/** When: as usual, in the last days, or between days that are kept as they are. */
function Period({ of, usual, change }: { of: Span; usual: string; change: (span: Span) => void }) {
  const { withinDays, from } = of;
  return (
    <>
      <Choice
        label="When"
        value={withinDays ? 'last' : from ? 'between' : ''}
        options={[['', usual], ['last', 'in the last'], ...(from ? [['between', periodWords(of)] as const] : [])]}
        change={(when) => {
          if (when !== 'between')
            change({ withinDays: when === 'last' ? 30 : undefined, from: undefined, to: undefined });
        }}
      />
      {withinDays && (
        <>
          <NumberField
            label="Days"
            value={withinDays}
            min={1}
            max={1827}
            change={(withinDays) => change({ withinDays })}
          />
          <span className={styles.unit}>days</span>
        </>
      )}
    </>
  );
}

/** A choice within a sentence. */
function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  change: (value: T) => void;
}) {
  const { label, value, options, change } = props;
  return (
    <select
      aria-label={label}
      className={sentences.how}
      value={value}
      onChange={({ target }) => change(target.value as T)}
    >
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
