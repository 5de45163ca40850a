import { Modal } from '@mantine/core';
import type { SegmentRulesInput } from '../graphql/schema.gen';
import type { Place } from '../scope/scope';
import { useReturnFocus } from '../ui/useReturnFocus';
import type { Beginning } from './journey';
import { SegmentForm } from './SegmentForm';

export type Segment = { id: string; name: string; windowDays: number; importedCount: number; rules: unknown };

type Props = {
  place: Place;
  /** The segment that is changed; undefined for a new one. */
  segment?: Segment | undefined;
  /** What a new one begins with. */
  begin?: Beginning | undefined;
  close: () => void;
  saved: (id: string, rules: SegmentRulesInput | null) => void;
  deleted?: () => void;
};

/** Makes a segment, or changes one, where it was picked. */
export function SegmentDialog({ segment, close, ...form }: Props) {
  useReturnFocus();
  return (
    <Modal
      opened
      onClose={close}
      title={segment ? 'Edit segment' : 'New segment'}
      size={640}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <SegmentForm segment={segment} {...form} />
    </Modal>
  );
}
