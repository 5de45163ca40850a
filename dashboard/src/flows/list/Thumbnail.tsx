import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { query } from '../../graphql/query';
import { useNear } from '../../ui/useNear';
import { useLook } from '../preview/look';
import { screensOf } from '../preview/manifest';
import { ScreenFrame } from '../preview/ScreenFrame';
import styles from './FlowGrid.module.css';
import { thumbnailDocument } from './queries';

/** The first screen of a flow's draft. It is asked for before it can be seen. */
export function Thumbnail({ id, revision, name }: { id: string; revision: number; name: string }) {
  const { ref, near } = useNear<HTMLDivElement>();
  const answer = useQuery({
    ...query(thumbnailDocument, [id, revision], () => ({ id })),
    placeholderData: undefined, // another flow's picture would be wrong
    enabled: near,
    staleTime: Number.POSITIVE_INFINITY, // a draft that is saved has another revision
  });
  const manifest = answer.data?.data.flow?.draft;
  const look = useLook(manifest);
  const shown = useMemo(() => {
    const first = screensOf(manifest)[0];
    return look && first && { ...look, manifest, screen: first.id };
  }, [look, manifest]);
  return (
    <div ref={ref} className={styles.picture}>
      {shown ? (
        <ScreenFrame shown={shown} name={`First screen of ${name}`} width={148} />
      ) : (
        <span>{answer.data ? 'No screen yet' : ''}</span>
      )}
    </div>
  );
}
