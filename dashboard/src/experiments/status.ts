import type { ExperimentStatus } from '../graphql/schema.gen';

/** What the state of an experiment is called. */
export const statusWords: Record<ExperimentStatus, string> = {
  DRAFT: 'draft',
  RUNNING: 'running',
  PENDING_DECISION: 'awaiting decision',
  STOPPED: 'stopped',
};
