import { Autocomplete, Button, Checkbox, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { Icon } from '../ui/Icon';
import { ConditionRows } from './ConditionRows';
import { armsOf, type Step } from './edit';
import styles from './WorkflowEditor.module.css';

/** What exists, to be offered where it is typed. */
export type Known = { events: readonly string[]; attributes: readonly string[] };

type Props = {
  step: Step;
  endpoints: ReadonlyMap<string, string>;
  known: Known;
  change: (step: Step) => void;
};

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const number = (value: unknown) => (typeof value === 'number' ? value : 0);
const object = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** What a step does, as fields. */
export function StepForm({ step, endpoints, known, change }: Props) {
  const set = (fields: Record<string, unknown>) => change({ ...step, ...fields });
  switch (step.type) {
    case 'delay':
      return <DelayFields step={step} change={change} />;
    case 'waitForEvent':
      return (
        <>
          <Autocomplete
            label="Event"
            maxLength={200}
            value={text(step.event)}
            onChange={(event) => set({ event })}
            data={[...known.events]}
          />
          <EventCondition where={step.where} change={(where) => change(withWhere(step, where))} />
          <Duration
            label="At most"
            value={number(step.timeoutSeconds)}
            change={(timeoutSeconds) => set({ timeoutSeconds })}
          />
        </>
      );
    case 'condition':
      return (
        <ConditionRows
          label="Condition"
          condition={step.if}
          attributes={known.attributes}
          change={(condition) => set({ if: condition ?? { all: [] } })}
        />
      );
    case 'split':
      return (
        <>
          {armsOf(step).map(({ weight }, i) => (
            <NumberInput
              // biome-ignore lint/suspicious/noArrayIndexKey: branches have nothing but their order
              key={i}
              label={`Weight of branch ${i + 1}`}
              min={0}
              max={10_000}
              value={weight}
              onChange={(value) =>
                set({ arms: armsOf(step).map((arm, at) => (at === i ? { ...arm, weight: Number(value) } : arm)) })
              }
            />
          ))}
          <div className={styles.row}>
            <Button
              size="xs"
              variant="default"
              disabled={armsOf(step).length >= 20}
              onClick={() => set({ arms: [...armsOf(step), { weight: 50 }] })}
            >
              Add branch
            </Button>
            <Button
              size="xs"
              variant="subtle"
              disabled={armsOf(step).length <= 2}
              onClick={() => set({ arms: armsOf(step).slice(0, -1) })}
            >
              Remove last branch
            </Button>
          </div>
        </>
      );
    case 'email':
      return (
        <>
          <TextInput
            label="Subject"
            value={text(step.subject)}
            onChange={({ target }) => set({ subject: target.value })}
          />
          <TextInput
            label="Preheader"
            value={text(step.preheader)}
            onChange={({ target }) =>
              change(without({ ...step, preheader: target.value }, target.value ? '' : 'preheader'))
            }
          />
          <Textarea
            label="Body"
            description="Markdown. {{person.firstName|there}} stands for the user’s first name, or “there”."
            autosize
            minRows={6}
            maxRows={20}
            value={text(step.body)}
            onChange={({ target }) => set({ body: target.value })}
          />
          <Always step={step} change={change} />
        </>
      );
    case 'webhook':
      return (
        <>
          <NativeSelect
            label="Destination"
            value={text(step.endpointId)}
            onChange={({ target }) => set({ endpointId: target.value })}
            data={[
              ...(endpoints.has(text(step.endpointId)) ? [] : [{ value: text(step.endpointId), label: 'Choose' }]),
              ...[...endpoints].map(([value, label]) => ({ value, label })),
            ]}
          />
          <TextInput
            label="Message type"
            value={text(step.messageType)}
            onChange={({ target }) => set({ messageType: target.value })}
          />
          <Always step={step} change={change} />
        </>
      );
    case 'exit':
      return <p className={styles.note}>The entry ends here.</p>;
    default:
      return (
        <p className={styles.note}>
          <Icon name="filter" size={12} /> Edit this step under Definition.
        </p>
      );
  }
}

/** What an event must have to count. */
export function EventCondition({ where, change }: { where: unknown; change: (where: unknown) => void }) {
  return (
    <fieldset className={styles.ends}>
      <legend>Only where</legend>
      <ConditionRows label="Properties of the event" condition={where} attributes={[]} eventOnly change={change} />
    </fieldset>
  );
}

/** An object with another condition on its event, or without one. */
export function withWhere<T extends object>(object: T, where: unknown): T {
  const { where: _, ...others } = object as Record<string, unknown>;
  return (where === undefined ? others : { ...others, where }) as T;
}

function Always({ step, change }: Pick<Props, 'step' | 'change'>) {
  return (
    <Checkbox
      label="Ignore frequency cap and quiet hours"
      checked={step.always === true}
      onChange={({ target }) => change(without({ ...step, always: true }, target.checked ? '' : 'always'))}
    />
  );
}

function without(step: Step, name: string): Step {
  const { [name]: _, ...others } = step;
  return others as Step;
}

const units = { 60: 'minutes', 3600: 'hours', 86400: 'days' };

/** A number of seconds in the largest unit that it is whole in. */
function Duration({ label, value, change }: { label: string; value: number; change: (seconds: number) => void }) {
  const unit = [86_400, 3600, 60].find((seconds) => value >= seconds && value % seconds === 0) ?? 60;
  return (
    <div className={styles.row}>
      <NumberInput
        label={label}
        min={1}
        value={Math.max(1, Math.round(value / unit))}
        onChange={(amount) => change(Math.max(1, Number(amount)) * unit)}
      />
      <NativeSelect
        label="Unit"
        value={String(unit)}
        onChange={({ target }) => change(Math.max(1, Math.round(value / unit)) * Number(target.value))}
        data={Object.entries(units).map(([value, label]) => ({ value, label }))}
      />
    </div>
  );
}

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function DelayFields({ step, change }: Pick<Props, 'step' | 'change'>) {
  const { seconds: _, until: __, untilProperty: ___, ...rest } = step;
  const kind = 'untilProperty' in step ? 'untilProperty' : 'until' in step ? 'until' : 'seconds';
  const until = object(step.until);
  const property = object(step.untilProperty);
  const weekdays = Array.isArray(until.weekdays) ? (until.weekdays as number[]) : [];
  const begun = {
    seconds: { seconds: 3600 },
    until: { until: { time: '09:00' } },
    untilProperty: { untilProperty: { of: 'event', property: '' } },
  };
  const put = (fields: Record<string, unknown>) => change({ ...rest, ...fields } as Step);
  return (
    <>
      <NativeSelect
        label="Wait"
        value={kind}
        onChange={({ target }) => put(begun[target.value as keyof typeof begun])}
        data={[
          { value: 'seconds', label: 'for a time' },
          { value: 'until', label: 'until a time of day' },
          { value: 'untilProperty', label: 'until the time in a property' },
        ]}
      />
      {kind === 'seconds' && (
        <Duration label="For" value={number(step.seconds)} change={(seconds) => put({ seconds })} />
      )}
      {kind === 'until' && (
        <>
          <TextInput
            type="time"
            label="Time in the user’s time zone"
            value={text(until.time)}
            onChange={({ target }) => put({ until: { ...until, time: target.value } })}
          />
          <fieldset className={styles.days}>
            <legend>Days (none: every day)</legend>
            {days.map((name, i) => (
              <Checkbox
                key={name}
                label={name}
                checked={weekdays.includes(i + 1)}
                onChange={({ target }) => {
                  const { weekdays: _, ...others } = until;
                  const chosen = target.checked
                    ? [...weekdays, i + 1].toSorted((a, b) => a - b)
                    : weekdays.filter((day) => day !== i + 1);
                  put({ until: chosen.length > 0 ? { ...others, weekdays: chosen } : others });
                }}
              />
            ))}
          </fieldset>
        </>
      )}
      {kind === 'untilProperty' && (
        <TextInput
          label="Property of the event"
          value={text(property.property)}
          onChange={({ target }) => put({ untilProperty: { ...property, property: target.value } })}
        />
      )}
    </>
  );
}
