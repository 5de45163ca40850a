import { useQuery } from '@tanstack/react-query';
import { LazyCompare } from '../../editor/compare/LazyCompare';
import { Waiting } from '../../ui/Waiting';
import { type FlowDetail, manifestQuery } from './queries';
import styles from './Versions.module.css';

/** What publishing a draft changes: the differences from the newest version. */
export function Since({ flow }: { flow: FlowDetail }) {
  const latest = flow.versions.nodes[0];
  const answer = useQuery(manifestQuery(latest?.id ?? 'draft'));
  if (!latest) return <p>This is the first version.</p>;
  const before = answer.data?.data.flowVersion?.manifest;
  if (answer.isError) return null;
  return (
    <section className={styles.since} aria-label={`Changes since v${latest.number}`}>
      <h3>Changes since v{latest.number}</h3>
      {before === undefined ? (
        <Waiting height={80} />
      ) : (
        <LazyCompare before={before} after={flow.draft} names={[`v${latest.number}`, 'Draft']} view="words" />
      )}
    </section>
  );
}
