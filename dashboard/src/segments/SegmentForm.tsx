import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { SegmentRulesInput } from '../graphql/schema.gen';
import type { Place } from '../scope/scope';
import { ConditionTree } from '../sentences/ConditionTree';
import { FormActs } from '../ui/FormActs';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { ClauseFields } from './ClauseFields';
import { type Conditions, incomplete, subjectOf, subjects, toCondition, toConditions } from './condition';
import type { Beginning } from './journey';
import {
  createSegment,
  deleteSegment,
  namesQuery,
  noSuggestions,
  suggestionsQuery,
  updateSegment,
  type Written,
} from './queries';
import { RuleFilters } from './RuleFilters';
import { SegmentCount } from './SegmentCount';
import type { Segment } from './SegmentDialog';
import styles from './Segments.module.css';
import { NumberField } from './ValueFields';
import { conditionWords, segmentWords } from './words';

type Props = {
  place: Place;
  segment?: Segment | undefined;
  begin?: Beginning | undefined;
  saved: (id: string, rules: SegmentRulesInput | null) => void;
  deleted?: () => void;
};

const first = { is: 'clause', ...subjects[0]!.begin } as const;
const nobody = new Map<string, string>();
const noRules: SegmentRulesInput = {};

/** Who is in a segment, in sentences, with how many they are now and what that means in words. */
export function SegmentForm({ place, segment, begin, saved, deleted }: Props) {
  const stored = (segment?.rules ?? null) as SegmentRulesInput | null;
  const [name, setName] = useState(segment?.name ?? begin?.name ?? '');
  const [sessions, setSessions] = useState(stored ?? begin?.rules ?? noRules);
  const [conditions, setConditions] = useState<Conditions>(() => toConditions(sessions.where));
  const [windowDays, setWindowDays] = useState(segment?.windowDays ?? begin?.windowDays ?? 90);
  const { act, busy, problem } = useAct();
  const named = useQuery(namesQuery(place)).data;
  const suggestions = useQuery(suggestionsQuery(place)).data ?? noSuggestions;
  const known = { flows: named?.flows ?? [], goals: named?.goals ?? [], names: named?.names ?? nobody, suggestions };
  const { where: _, ...filters } = sessions;
  const where = toCondition(conditions);
  const empty = Object.keys(filters).length === 0 && !where;
  // Nothing asked of people who were imported leaves them alone; of a new segment, it has everybody who visited.
  const rules = empty && segment && !stored ? null : { ...filters, ...(where && { where }) };
  const lacking = incomplete(conditions);
  const written: Written = { name: name.trim(), rules, windowDays };
  const asked = lacking ? undefined : { rules, windowDays };
  const [counted] = useDebouncedValue(asked, 250);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      const before = segment && { name: segment.name, rules: stored, windowDays: segment.windowDays };
      if (before) await updateSegment(segment.id, before, written);
      saved(before ? segment.id : await createSegment(place, written), rules);
    }, 'save');
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <TextInput
        label="Name"
        placeholder="Power users"
        data-autofocus
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <RuleFilters rules={filters} change={setSessions} />
      <div className={styles.part}>
        <h3>Users who match</h3>
        <ConditionTree
          label="Conditions"
          tree={conditions}
          put={setConditions}
          begin={first}
          words={(part) => conditionWords(part, known.names)}
          row={(clause, change, remove) => (
            <ClauseFields clause={clause} known={known} change={change} remove={remove} />
          )}
        />
      </div>
      <div className={styles.days}>
        <span>Visits, events and flows count for</span>
        <NumberField label="Days of the segment" value={windowDays} min={1} max={1827} change={setWindowDays} />
        <span>days</span>
      </div>
      <div className={styles.result}>
        <SegmentCount
          place={place}
          counted={counted}
          changed={JSON.stringify(counted) !== JSON.stringify(asked)}
          lacking={lacking && subjectOf(lacking).name}
        />
        <p className={styles.words} aria-label="Meaning" role="note">
          {segmentWords({ rules, windowDays, importedCount: segment?.importedCount }, known.names)}.
        </p>
        {begin?.note && <p className={styles.words}>{begin.note}</p>}
      </div>
      <Problem text={problem} />
      <FormActs
        act={act}
        busy={busy}
        save={segment ? 'Save segment' : 'Create segment'}
        disabled={written.name === '' || lacking !== undefined}
        remove={segment && deleted && (() => deleteSegment(segment.id))}
        removed={deleted}
      />
    </form>
  );
}
