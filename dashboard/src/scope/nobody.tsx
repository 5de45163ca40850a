import { Link } from '@tanstack/react-router';
import type { EmptyProps } from '../ui/Empty';

/** What a report says whose scope nobody is in. */
export const nobody: EmptyProps = {
  title: 'Nobody in this range',
  why: 'There were no visitors, or the filters leave none.',
  next: (
    <Link to="." search={{ range: '12mo' }}>
      Look at the last twelve months
    </Link>
  ),
};
