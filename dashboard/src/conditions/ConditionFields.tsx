import { Autocomplete, Checkbox, Select, TextInput } from '@mantine/core';
import { type Draft, type Happened, kindNames, type Named, outcomeNames } from './conditions';

type Props = {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  flows: readonly Named[];
  /** Of the chosen flow. */
  steps: readonly Named[];
  happened: Happened | null | undefined;
};

/** What a condition asks for, by its kind. */
export function ConditionFields({ draft, change, flows, steps, happened }: Props) {
  const { kind, text, contains, flow, outcome, step, products, least } = draft;
  switch (kind) {
    case 'event':
      return (
        <Autocomplete
          label="Event is"
          value={text}
          onChange={(text) => change({ text })}
          data={(happened?.events?.nodes ?? []).map(({ name }) => name)}
        />
      );
    case 'page':
    case 'screen':
      return (
        <>
          <Autocomplete
            label={`${kindNames[kind]} ${contains ? 'contains' : 'is'}`}
            description={contains ? undefined : '* stands for text without a slash, ** for any text: /blog/**'}
            value={text}
            onChange={(text) => change({ text })}
            data={(happened?.screens?.nodes ?? [])
              .filter((view) => view.kind === (kind === 'page' ? 'PAGE' : 'SCREEN'))
              .map(({ value }) => value)}
          />
          <Checkbox
            label="Any name that contains the text"
            checked={contains}
            onChange={(event) => change({ contains: event.currentTarget.checked })}
          />
        </>
      );
    case 'flow':
      return (
        <>
          <Select
            label="Flow"
            searchable
            value={flow || null}
            onChange={(flow) => change({ flow: flow ?? '', step: '' })}
            data={flows.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <Select
            label="Outcome"
            allowDeselect={false}
            value={outcome}
            onChange={(outcome) => change({ outcome: outcome as Draft['outcome'] })}
            data={Object.entries(outcomeNames).map(([value, label]) => ({ value, label }))}
          />
          {outcome === 'STEP_REACHED' && (
            <Select
              label="Step"
              searchable
              nothingFoundMessage="No runs of this flow in this period."
              value={step || null}
              onChange={(step) => change({ step: step ?? '' })}
              data={stepChoices(steps, step)}
            />
          )}
        </>
      );
    case 'purchase':
      return (
        <>
          <TextInput
            label="Products"
            description="IDs by commas; empty for any product"
            value={products}
            onChange={(event) => change({ products: event.currentTarget.value })}
          />
          <TextInput
            label="At least"
            description="US dollars; empty for any amount"
            inputMode="decimal"
            value={least}
            onChange={(event) => change({ least: event.currentTarget.value })}
          />
        </>
      );
  }
}

/** The steps by their names; steps of one name, and the chosen one that is none of them, with their IDs. */
function stepChoices(steps: readonly Named[], chosen: string) {
  const all = chosen && !steps.some(({ id }) => id === chosen) ? [...steps, { id: chosen, name: chosen }] : steps;
  return all.map(({ id, name }) => ({
    value: id,
    label: all.some((other) => other.id !== id && other.name === name) ? `${name} (${id})` : name,
  }));
}
