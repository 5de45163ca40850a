import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatExact } from '../ui/format';
import { type Automation, testRunQuery } from './queries';
import styles from './WorkflowEditor.module.css';

const days = 7;

/** How many users the saved draft would have enrolled last week. It reads their events, so it is asked for. */
export function Reach({ automation }: { automation: Automation }) {
  const [asked, setAsked] = useState(false);
  const wrong = automation.problems.some(({ severity }) => severity === 'ERROR');
  const answer = useQuery({ ...testRunQuery(automation.id, days), enabled: asked && !wrong });
  const report = answer.data?.data.automation?.testRun;
  if (!asked || answer.isError)
    return (
      <Button
        variant="subtle"
        disabled={wrong}
        title={wrong ? 'The draft has problems' : undefined}
        onClick={() => (asked ? void answer.refetch() : setAsked(true))}
      >
        {answer.isError ? 'Estimate failed. Try again' : 'Estimate entries'}
      </Button>
    );
  return (
    <output className={styles.note}>
      {report
        ? `Would have entered in the last ${days} days: ${formatExact(report.entered, 'count')}${report.complete ? '' : ' or more'}`
        : 'Reading last week’s events…'}
    </output>
  );
}
