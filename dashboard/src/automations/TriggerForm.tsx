import { Autocomplete, Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { conditionsQuery } from '../conditions/queries';
import type { Place } from '../scope/scope';
import { SegmentField } from '../segments/SegmentField';
import type { Definition } from './edit';
import { EventCondition, type Known, withWhere } from './StepForm';
import styles from './WorkflowEditor.module.css';

type Props = { definition: Definition; place: Place; known: Known; change: (definition: Definition) => void };

const kinds = {
  event: 'tracks an event',
  flow: 'ends a flow',
  ledger: 'pays, or money changes otherwise',
  segment: 'enters a segment',
  goal: 'meets a goal',
  manual: 'is added manually',
};

const ledgerKinds = {
  trial: 'Trial',
  originating: 'First payment',
  converted: 'Payment after a trial',
  renewal: 'Renewal',
  refund: 'Refund',
  refund_reversal: 'Refund reversal',
  chargeback: 'Chargeback',
  chargeback_reversal: 'Chargeback reversal',
  expired: 'Subscription expired',
};

const begun: Record<string, Record<string, unknown>> = {
  event: { event: '' },
  flow: { outcome: 'completed' },
  ledger: { kinds: ['trial'] },
  segment: { segmentId: '' },
  goal: { goalId: '' },
  manual: {},
};

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const texts = (value: unknown) => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
const listed = (typed: string) =>
  typed
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

/** Who enters, how often, and what counts as the goal or ends an entry. */
export function TriggerForm({ definition, place, known, change }: Props) {
  const { trigger } = definition;
  const type = text(trigger.type);
  const reentry = text(trigger.reentry) || 'once';
  const set = (fields: Record<string, unknown>) => change({ ...definition, trigger: { ...trigger, ...fields } });
  const repeat = (reentry: string) => {
    const { days: _, ...others } = trigger;
    change({ ...definition, trigger: { ...others, reentry, ...(reentry === 'days' && { days: 30 }) } });
  };
  return (
    <>
      <NativeSelect
        label="Starts when a user"
        value={type}
        onChange={({ target }) =>
          change({ ...definition, trigger: { type: target.value, reentry, ...begun[target.value] } })
        }
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
      />
      {type === 'event' && (
        <Autocomplete
          label="Event"
          maxLength={200}
          value={text(trigger.event)}
          onChange={(event) => set({ event })}
          data={[...known.events]}
        />
      )}
      {type === 'flow' && (
        <FlowField
          place={place}
          value={text(trigger.flowId)}
          change={(flowId) => change(withFlow(definition, flowId))}
        />
      )}
      {type === 'flow' && (
        <NativeSelect
          label="Outcome"
          value={text(trigger.outcome)}
          onChange={({ target }) => set({ outcome: target.value })}
          data={['completed', 'abandoned', 'any']}
        />
      )}
      {type === 'ledger' && (
        <fieldset className={styles.days}>
          <legend>Kinds</legend>
          {Object.entries(ledgerKinds).map(([kind, label]) => (
            <Checkbox
              key={kind}
              label={label}
              checked={texts(trigger.kinds).includes(kind)}
              onChange={({ target }) => {
                const others = texts(trigger.kinds).filter((one) => one !== kind);
                set({ kinds: target.checked ? [...others, kind] : others });
              }}
            />
          ))}
        </fieldset>
      )}
      {type === 'segment' && (
        <SegmentField place={place} value={text(trigger.segmentId)} change={(segmentId) => set({ segmentId })} />
      )}
      {type === 'goal' && <GoalField place={place} value={text(trigger.goalId)} change={(goalId) => set({ goalId })} />}
      {(type === 'event' || type === 'flow' || type === 'ledger') && (
        <EventCondition
          where={trigger.where}
          change={(where) => change({ ...definition, trigger: withWhere(trigger, where) })}
        />
      )}
      <NativeSelect
        label="Enters again"
        value={reentry}
        onChange={({ target }) => repeat(target.value)}
        data={[
          { value: 'once', label: 'never' },
          { value: 'days', label: 'after some days' },
          { value: 'always', label: 'every time' },
        ]}
      />
      {reentry === 'days' && (
        <NumberInput
          label="Days"
          min={1}
          max={365}
          value={Number(trigger.days ?? 30)}
          onChange={(days) => set({ days: Number(days) })}
        />
      )}
      <Ends definition={definition} change={change} />
      <Checkbox
        label="Marketing: only users who granted consent get messages"
        checked={definition.marketing === true}
        onChange={({ target }) => {
          const { marketing: _, ...others } = definition;
          change((target.checked ? { ...others, marketing: true } : others) as Definition);
        }}
      />
    </>
  );
}

/** The goal that starts it, of those that the app has. */
function GoalField({ place, value, change }: { place: Place; value: string; change: (goal: string) => void }) {
  const goals = useQuery(conditionsQuery(place)).data?.data.app?.goals?.nodes ?? [];
  return (
    <NativeSelect
      label="Goal that is met"
      description="Checked every minute. A user enters on meeting it, if they had not met it today or yesterday (UTC)."
      value={value}
      onChange={({ target }) => change(target.value)}
      data={[{ value: '', label: 'Choose' }, ...goals.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}

/** The flow whose end starts it; without one, every flow's does. */
function FlowField({ place, value, change }: { place: Place; value: string; change: (flow: string) => void }) {
  const flows = useQuery(conditionsQuery(place)).data?.data.app?.flows?.nodes ?? [];
  return (
    <NativeSelect
      label="Flow"
      value={value}
      onChange={({ target }) => change(target.value)}
      data={[{ value: '', label: 'Any flow' }, ...flows.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}

/** A version or a step is one of the flow before. */
function withFlow(definition: Definition, flowId: string): Definition {
  const { flowId: _flow, versionId: _version, lastStep: _step, ...trigger } = definition.trigger;
  return { ...definition, trigger: flowId ? { ...trigger, flowId } : trigger };
}

/** The goal, and what ends an entry: the same two questions. */
function Ends({ definition, change }: Pick<Props, 'definition' | 'change'>) {
  return (['goal', 'exit'] as const).map((name) => {
    const read = (definition[name] ?? {}) as Record<string, unknown>;
    const { [name]: _, ...others } = definition;
    const put = (fields: Record<string, unknown>) => {
      const { events, purchase, ...rest } = { ...read, ...fields };
      const some = { ...(texts(events).length > 0 && { events }), ...(purchase === true && { purchase }) };
      const empty = Object.keys(some).length === 0 && !('when' in rest);
      change(
        (empty
          ? others
          : { ...definition, [name]: { ...(name === 'goal' && { days: 7 }), ...rest, ...some } }) as Definition,
      );
    };
    return (
      <fieldset key={name} className={styles.ends}>
        <legend>{name === 'goal' ? 'Goal' : 'Exit'}</legend>
        <TextInput
          // Typed names are a list once the field is left: a comma at the end is no name yet.
          key={texts(read.events).join()}
          label={name === 'goal' ? 'Converts with one of these events' : 'Ends with one of these events'}
          placeholder="order_placed, subscribed"
          defaultValue={texts(read.events).join(', ')}
          onBlur={({ target }) => {
            if (listed(target.value).join() !== texts(read.events).join()) put({ events: listed(target.value) });
          }}
        />
        <Checkbox
          label="or with a purchase"
          checked={read.purchase === true}
          onChange={({ target }) => put({ purchase: target.checked })}
        />
        {name === 'goal' && definition.goal !== undefined && (
          <NumberInput
            label="Within days"
            min={1}
            max={90}
            value={Number(read.days ?? 7)}
            onChange={(days) => put({ days: Number(days) })}
          />
        )}
      </fieldset>
    );
  });
}
