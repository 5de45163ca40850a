import { Select } from '@mantine/core';
import type { ExperimentSplitBy } from '../graphql/schema.gen';

/** What an experiment may be split by, and what each means. */
export const splits: Record<ExperimentSplitBy, { label: string; sentence: string; meaning: string }> = {
  DEVICE: {
    label: 'Device',
    sentence: 'Split by device.',
    meaning: 'Each device gets a variant and counts once. A signed-in user of two devices may see two variants.',
  },
  CUSTOM_USER_ID: {
    label: 'Custom user ID',
    sentence: 'Split by custom user ID.',
    meaning:
      'A user who signs in keeps the variant that was served first, on all devices, and counts once. Until then the device counts.',
  },
};

interface Props {
  value: ExperimentSplitBy;
  change: (value: ExperimentSplitBy) => void;
  problem?: string | undefined;
}

/** Chooses what an experiment is split by. */
export function SplitBy({ value, change, problem }: Props) {
  return (
    <Select
      label="Split by"
      description={splits[value].meaning}
      allowDeselect={false}
      value={value}
      onChange={(chosen) => change(chosen as ExperimentSplitBy)}
      data={Object.entries(splits).map(([value, { label }]) => ({ value, label }))}
      error={problem}
    />
  );
}
