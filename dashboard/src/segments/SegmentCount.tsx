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
  /** What a row is about that lacks a value. */
  lacking: string | undefined;
};

/** How many users a segment would have now. */
export function SegmentCount({ place, counted, lacking }: Props) {
  const rules = counted?.rules ?? {};
  const answer = useQuery({
    ...estimateQuery(place, rules, counted?.windowDays ?? 90),
    enabled: Boolean(counted?.rules) && !lacking,
  });
  const count = answer.data?.data.app?.segmentEstimate;
  const waits = answer.isFetching || lacking !== undefined;
  const note = lacking
    ? `${lacking} needs a value`
    : answer.error
      ? explain(answer.error).detail
      : count === 1
        ? 'user now'
        : 'users now';
  return (
    <output className={styles.count} data-stale={waits || undefined} aria-busy={answer.isFetching}>
      <strong>{count == null || answer.error ? '–' : formatExact(count, 'count')}</strong>
      <span>{note}</span>
    </output>
  );
}
