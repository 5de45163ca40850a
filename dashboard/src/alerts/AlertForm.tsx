import { NumberInput, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type FormEvent, useMemo, useState } from 'react';
import type { AlertMetric, AlertRuleInput, AlertSensitivity } from '../graphql/schema.gen';
import { Chips } from '../scope/Chips';
import { FilterMenu } from '../scope/FilterMenu';
import type { Place } from '../scope/scope';
import { useView } from '../scope/useView';
import { FormActs } from '../ui/FormActs';
import { type Note, useNote } from '../ui/FormDrawer';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './Alerts.module.css';
import { Preview } from './Preview';
import { type Alert, createAlert, deleteAlert, type Named, updateAlert } from './queries';
import { type Draft, describe, draftOf, emptyDraft, isOfGoal, type Kind, kinds, metrics, ruleOf } from './rule';
import { ToSlack } from './ToSlack';

type Props = {
  place: Place;
  /** The alert that is changed; undefined for a new one. */
  alert: Alert | undefined;
  named: Named;
  zone: string;
  /** Whether the member may choose where Slack is told. */
  tellsOthers: boolean;
  done: () => void;
  /** Told of changes that are not saved. */
  note: Note;
};

type Change = (part: Partial<Draft>) => void;
const options = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }));

/** Adds an alert, or changes one, as a sentence; shows what it would have told before it is saved. */
export function AlertForm({ place, alert, named, zone, tellsOthers, done, note }: Props) {
  const { filters, search } = useView();
  const before = alert?.rule as AlertRuleInput | undefined;
  const [draft, setDraft] = useState<Draft>(
    before ? draftOf(before) : { ...emptyDraft, filters, segment: search.segment ?? '' },
  );
  const [initial] = useState(draft);
  const [typed, setTyped] = useState(alert?.name);
  const [slackUrl, setSlackUrl] = useState<string>();
  useNote(note, draft !== initial || typed !== alert?.name || slackUrl !== undefined);
  const { act, busy, problem } = useAct();
  const timeZone = before?.timeZone ?? zone;
  const rule = useMemo(() => ruleOf(draft, timeZone), [draft, timeZone]);
  const [settled] = useDebouncedValue(rule, 300);
  const name = typed ?? (rule ? describe(rule, named).slice(0, 100) : '');
  const change: Change = (part) => setDraft((draft) => ({ ...draft, ...part }));
  const filtered = { filters: draft.filters, setFilters: (filters: Draft['filters']) => change({ filters }) };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!rule) return;
    const written = { name: name.trim(), rule, ...(slackUrl !== undefined && { slackUrl: slackUrl.trim() }) };
    const save = () => (alert ? updateAlert(alert.id, written) : createAlert(place, written));
    if (await act(save, 'save')) done();
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <Sentence draft={draft} change={change} goals={named.goals} />
      <fieldset className={styles.sentence} aria-label="Only where">
        <span className={styles.word}>Only</span>
        <Choice
          label="Platform"
          value={draft.platform}
          data={options({ '': 'All platforms', WEB: 'Web', IOS: 'iOS', ANDROID: 'Android', MOBILE: 'iOS and Android' })}
          change={(platform) => change({ platform: platform as Draft['platform'] })}
        />
        {named.segments.length > 0 && (
          <Choice
            label="Segment"
            value={draft.segment}
            data={[
              { value: '', label: 'All users' },
              ...named.segments.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            change={(segment) => change({ segment })}
          />
        )}
        <FilterMenu of={filtered} />
        <Chips of={filtered} />
      </fieldset>
      {draft.kind !== 'silent' && <Times draft={draft} change={change} />}
      <Quiet draft={draft} change={change} zone={timeZone} />
      <Preview place={place} rule={settled} zone={timeZone} />
      <ToSlack before={alert?.slackUrl ?? ''} url={slackUrl} change={setSlackUrl} tellsOthers={tellsOthers} />
      <TextInput label="Name" maxLength={100} value={name} onChange={(event) => setTyped(event.currentTarget.value)} />
      <Problem text={problem} />
      <FormActs
        act={act}
        busy={busy}
        save={alert ? 'Save alert' : 'Add alert'}
        disabled={!rule || name.trim() === ''}
        remove={alert && (() => deleteAlert(alert.id))}
        removed={done}
      />
    </form>
  );
}

type ChoiceProps = {
  label: string;
  width?: 'grain' | 'middle' | 'wide';
  value: string;
  data: { value: string; label: string }[];
  change: (value: string) => void;
};

/** A word of the sentence that is one of several. */
function Choice({ label, width = 'middle', value, data, change }: ChoiceProps) {
  return (
    <Select
      aria-label={label}
      size="xs"
      className={styles[width]}
      value={value}
      allowDeselect={false}
      data={data}
      onChange={(chosen) => change(chosen ?? '')}
    />
  );
}

function Sentence({ draft, change, goals }: { draft: Draft; change: Change; goals: Named['goals'] }) {
  const { kind, metric } = draft;
  const offered = (Object.keys(metrics) as AlertMetric[]).filter((id) => goals.length > 0 || !isOfGoal(id));
  return (
    <fieldset className={styles.sentence} aria-label="Condition">
      <span className={styles.word}>Alert when</span>
      {kind !== 'silent' && (
        <>
          <Choice
            label="Metric"
            value={metric}
            data={offered.map((value) => ({ value, label: metrics[value].name }))}
            change={(value) => change({ metric: value as AlertMetric, goal: draft.goal || (goals[0]?.id ?? '') })}
          />
          {isOfGoal(metric) && (
            <>
              <span className={styles.word}>of</span>
              <Choice
                label="Goal"
                value={draft.goal}
                data={goals.map(({ id, name }) => ({ value: id, label: name }))}
                change={(goal) => change({ goal })}
              />
            </>
          )}
          <Choice
            label="Per"
            width="grain"
            value={draft.grain}
            data={options({ HOUR: 'per hour', DAY: 'per day' })}
            change={(grain) => change({ grain: grain as Draft['grain'] })}
          />
        </>
      )}
      <Choice
        label="Kind of condition"
        width="wide"
        value={kind}
        data={options(kinds)}
        change={(value) => change({ kind: value as Kind, number: '' })}
      />
      <Bound draft={draft} change={change} />
    </fieldset>
  );
}

function Bound({ draft, change }: { draft: Draft; change: Change }) {
  const { kind, metric, number } = draft;
  const field = (label: string, unit: string) => (
    <>
      <TextInput
        aria-label={label}
        size="xs"
        inputMode="decimal"
        className={styles.narrow}
        value={number}
        onChange={(event) => change({ number: event.currentTarget.value })}
      />
      {unit && <span className={styles.word}>{unit}</span>}
    </>
  );
  const direction = (names: Record<string, string>) => (
    <Choice
      label="Direction"
      value={draft.direction}
      data={options(names)}
      change={(value) => change({ direction: value as Draft['direction'] })}
    />
  );
  switch (kind) {
    case 'silent':
      return (
        <>
          <span className={styles.word}>for</span>
          {field('Minutes', 'minutes (5 to 1,440)')}
        </>
      );
    case 'change':
      return (
        <>
          {direction({ DOWN: 'falls', UP: 'rises', EITHER: 'falls or rises' })}
          <span className={styles.word}>by at least</span>
          {field('Percent', '%')}
        </>
      );
    case 'unusual':
      return (
        <>
          {direction({ DOWN: 'low', UP: 'high', EITHER: 'low or high' })}
          <Choice
            label="Sensitivity"
            width="wide"
            value={draft.sensitivity}
            data={options({ LOW: 'low sensitivity', MEDIUM: 'medium sensitivity', HIGH: 'high sensitivity' })}
            change={(value) => change({ sensitivity: value as AlertSensitivity })}
          />
        </>
      );
    default:
      return field(
        'Number',
        { share: '%', money: 'US dollars', seconds: 'seconds' }[metrics[metric].kind as string] ?? '',
      );
  }
}

function Times({ draft, change }: { draft: Draft; change: Change }) {
  const field = (label: string, value: number, most: number, set: (value: number) => void) => (
    <NumberInput
      aria-label={label}
      size="xs"
      className={styles.narrow}
      min={1}
      max={most}
      allowDecimal={false}
      value={value}
      onChange={(value) => typeof value === 'number' && set(value)}
    />
  );
  return (
    <fieldset className={styles.sentence} aria-label="How often">
      <span className={styles.word}>in</span>
      {field('Times', Math.min(draft.breaches, draft.of), draft.of, (breaches) => change({ breaches }))}
      <span className={styles.word}>of the last</span>
      {field('Of', draft.of, 24, (of) => change({ of: Math.min(24, Math.max(1, of)) }))}
      <span className={styles.word}>{draft.grain === 'DAY' ? 'days' : 'hours'}</span>
    </fieldset>
  );
}

function Quiet({ draft, change, zone }: { draft: Draft; change: Change; zone: string }) {
  return (
    <fieldset className={styles.sentence} aria-label="Quiet hours">
      <span className={styles.word}>Quiet hours from</span>
      <TextInput
        aria-label="Quiet from"
        size="xs"
        type="time"
        value={draft.quietFrom}
        onChange={(event) => change({ quietFrom: event.currentTarget.value })}
      />
      <span className={styles.word}>to</span>
      <TextInput
        aria-label="Quiet until"
        size="xs"
        type="time"
        value={draft.quietUntil}
        onChange={(event) => change({ quietUntil: event.currentTarget.value })}
      />
      <span className={styles.word}>{zone}</span>
    </fieldset>
  );
}
