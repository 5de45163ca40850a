import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { may } from '../app/session/session';
import type { Place } from '../scope/scope';
import { segmentsQuery } from '../scope/segments';
import { SegmentDialog } from './SegmentDialog';
import { SegmentMeaning } from './SegmentMeaning';
import styles from './Segments.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

type Props = { place: Place; value: string; change: (segment: string) => void };

/** Chooses a segment in a form, or makes one there. */
export function SegmentField({ place, value, change }: Props) {
  const { access } = appRoute.useRouteContext();
  const [writing, setWriting] = useState(false);
  const segments = useQuery(segmentsQuery(place)).data?.data.app?.segments?.nodes ?? [];
  const chosen = segments.find(({ id }) => id === value);
  return (
    <div className={styles.part}>
      <NativeSelect
        label="Segment"
        value={value}
        onChange={({ target }) => change(target.value)}
        data={[{ value: '', label: 'Choose' }, ...segments.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      {chosen && <SegmentMeaning place={place} segment={chosen} />}
      {may(access, 'SEGMENT_MANAGE') && (
        <div className={styles.acts}>
          <Button size="xs" variant="default" onClick={() => setWriting(true)}>
            New segment
          </Button>
        </div>
      )}
      {writing && (
        <SegmentDialog
          place={place}
          close={() => setWriting(false)}
          saved={(segment) => {
            change(segment);
            setWriting(false);
          }}
        />
      )}
    </div>
  );
}
