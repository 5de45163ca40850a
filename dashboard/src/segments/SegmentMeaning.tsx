import { useQuery } from '@tanstack/react-query';
import type { SegmentRulesInput } from '../graphql/schema.gen';
import type { Place } from '../scope/scope';
import { namesQuery } from './queries';
import type { Segment } from './SegmentDialog';
import styles from './Segments.module.css';
import { segmentWords } from './words';

const none = new Map<string, string>();

/** What a segment means, in words. */
export function SegmentMeaning({ place, segment }: { place: Place; segment: Segment }) {
  const names = useQuery(namesQuery(place)).data?.names ?? none;
  const { windowDays, importedCount } = segment;
  const rules = segment.rules as SegmentRulesInput | null;
  return <p className={styles.words}>{segmentWords({ rules, windowDays, importedCount }, names)}.</p>;
}
