import { useQuery } from '@tanstack/react-query';
import { explain } from '../graphql/problems';
import type { SegmentRulesInput } from '../graphql/schema.gen';
import type { Place } from '../scope/scope';
import { formatExact } from '../ui/format';
import { estimateQuery } from './queries';
import styles from './Segments.module.css';

type Props = {
  place: Place;
  /** What is counted; undefined while it lacks a value, and without rules there is nothing to count. */
  counted: { rules: SegmentRulesInput | null; windowDays: number } | undefined;
  /** Whether the rules are others by now, which are counted in a moment. */
  changed: boolean;
  /** What a row is about that lacks a value. */
  lacking: string | undefined;
};

/** How many users a segment would have now. */
export function SegmentCount({ place, counted, changed, lacking }: Props) {
  const rules = counted?.rules ?? {};
  const answer = useQuery({
    ...estimateQuery(place, rules, counted?.windowDays ?? 90),
    enabled: Boolean(counted?.rules) && !lacking,
  });
  // The count of rules that were there before stays in sight, dimmed, and is not said to be that of these.
  const count = counted?.rules === null ? undefined : answer.data?.data.app?.segmentEstimate;
  const counts = changed || answer.isFetching;
  const note = lacking
    ? `${lacking} needs a value`
    : counts
      ? 'counting…'
      : answer.error
        ? explain(answer.error).detail
        : count == null
          ? 'not counted without rules'
          : count === 1
            ? 'user now'
            : 'users now';
  return (
    <output className={styles.count} data-stale={counts || lacking !== undefined || undefined} aria-busy={counts}>
      <strong>{count == null || answer.error ? '–' : formatExact(count, 'count')}</strong>
      <span>{note}</span>
    </output>
  );
}
