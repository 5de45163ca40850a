import { Button, Popover } from '@mantine/core';
import { useState } from 'react';
import { GoalPicker } from './GoalPicker';
import type { ExperimentDetail } from './queries';

/** The goals that the results of a started experiment measure besides the one that decides, which is frozen. */
export function GoalsOf({ experiment }: { experiment: ExperimentDetail }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={320} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="xs" data-print="no" onClick={() => setOpen(!open)}>
          Choose goals
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{open && <GoalPicker experiment={experiment} />}</Popover.Dropdown>
    </Popover>
  );
}
