import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { comparedLines, LineChart } from '../../charts/LineChart';
import type { FunnelInput } from '../../graphql/schema.gen';
import { comparedName, type Place } from '../../scope/scope';
import { useChart } from '../../scope/useChart';
import { useCompared } from '../../scope/useCompared';
import { type Beginning, funnelSegment, type Goal } from '../../segments/journey';
import { SegmentOf } from '../../segments/SegmentOf';
import { Card } from '../../ui/Card';
import { CsvButton } from '../../ui/CsvButton';
import { downloadCsv } from '../../ui/csv';
import { Figures } from '../../ui/Figures';
import { Dropped } from './Dropped';
import { FunnelBreakdown } from './FunnelBreakdown';
import { FunnelSteps } from './FunnelSteps';
import styles from './Funnels.module.css';
import { Next } from './Next';
import { funnelQuery, type Report, seriesQuery } from './queries';
import type { FunnelsView } from './search';
import { stepName } from './words';

type Props = {
  place: Place;
  search: FunnelsView;
  name: string;
  input: FunnelInput;
  /** What counts, in words. */
  rules: string;
  goals: readonly Goal[];
  /** Undefined for those who can't, nor make segments. */
  edit: (() => void) | undefined;
};

/** One funnel: its steps, what followed the drop-offs, its conversion over time and by a dimension. */
export function FunnelReports(props: Props) {
  const { place, search, name, input, rules, goals, edit } = props;
  const [lost, setLost] = useState<{ number: number; name: string }>();
  const [saved, setSaved] = useState<Beginning>();
  const save = edit && ((step: { number: number; name: string }) => setSaved(segmentOf(step)));
  const segmentOf = (step: { number: number; name: string }) =>
    funnelSegment(place, search, { funnel: input, goals }, step);
  const answer = useQuery(funnelQuery(place, input, search));
  const compared = useCompared(funnelQuery(place, input, search, 'compared'), search)?.data.app?.productAnalytics
    ?.funnel;
  const unit = input.by === 'SESSION' ? 'session' : 'visitor';
  const report = answer.data?.data.app?.productAnalytics?.funnel;
  return (
    <>
      <Card
        title={name}
        answer={answer}
        part={({ app }) => app?.productAnalytics?.funnel}
        path="app.productAnalytics.funnel"
        figures={figuresOf}
        waiting={{ height: 420 }}
        empty={({ entered }) =>
          entered > 0 ? undefined : <p>No {unit} of this period and these filters met the first step.</p>
        }
        actions={
          <div className={styles.tools}>
            {edit && (
              <Button variant="default" onClick={edit}>
                Edit funnel
              </Button>
            )}
            {report && <CsvButton save={() => downloadCsv('funnel', cellsOf(report))} />}
          </div>
        }
      >
        {(report) => (
          <>
            <p className={styles.rules}>{rules}</p>
            <Headline report={report} compared={compared} />
            <FunnelSteps
              report={report}
              unit={unit}
              compared={compared}
              comparedName={comparedName(search)}
              open={setLost}
              save={save}
            />
          </>
        )}
      </Card>
      {report?.steps.some(({ dropped }) => dropped > 0) && (
        <Card
          title="Next after drop-off"
          answer={answer}
          part={({ app }) => app?.productAnalytics?.funnel}
          path="app.productAnalytics.funnel"
          figures={({ steps }) => ({ funnelNext: steps[0]?.next[0]?.count, funnelDropped: steps[0]?.dropped })}
          example={({ steps }) => steps[0] && `“${stepName(steps[0], 0)}”, the first step`}
          waiting={{ rows: 6 }}
        >
          {(report) => <Next report={report} unit={unit} />}
        </Card>
      )}
      <SegmentOf place={place} begin={saved} close={() => setSaved(undefined)} />
      <Dropped place={place} search={search} input={input} step={lost} close={() => setLost(undefined)} />
      <OverTime {...props} />
      <FunnelBreakdown place={place} search={search} input={input} />
    </>
  );
}

const figuresOf = ({ entered, converted, rate, open, medianSeconds, steps }: Report) => ({
  funnelEntered: entered,
  funnelConverted: converted,
  funnelRate: rate,
  funnelDropped: steps.reduce((sum, { dropped }) => sum + dropped, 0),
  funnelOpen: open,
  funnelSeconds: medianSeconds,
});

function Headline({ report, compared }: { report: Report; compared: Report | null | undefined }) {
  return (
    <Figures
      figures={[
        { name: 'Conversion rate', kind: 'share', value: report.rate, before: compared?.rate },
        { name: 'Entered', kind: 'count', value: report.entered, before: compared?.entered },
        { name: 'Converted', kind: 'count', value: report.converted, before: compared?.converted },
        { name: 'Open', kind: 'count', value: report.open },
        {
          name: 'Median time',
          kind: 'seconds',
          value: report.medianSeconds,
          before: compared?.medianSeconds,
          fewer: true,
        },
      ]}
    />
  );
}

function OverTime({ place, search, name, input }: Props) {
  const answer = useQuery(seriesQuery(place, input, search));
  const compared = useCompared(seriesQuery(place, input, search, 'compared'), search)?.data.app?.productAnalytics
    ?.funnelSeries;
  const chart = useChart(answer.data?.data.app?.productAnalytics?.funnelSeries?.length ?? 0);
  return (
    <Card
      title="Conversion over time"
      answer={answer}
      part={({ app }) => app?.productAnalytics?.funnelSeries}
      path="app.productAnalytics.funnelSeries"
      figures={() => ({ funnelRate: undefined })}
      waiting={{ height: 260 }}
    >
      {(points) => (
        <LineChart
          title={`Conversion rate of ${name} over time`}
          kind="share"
          {...chart}
          lines={comparedLines('Conversion rate', points, ({ rate }) => rate, chart.comparedName, compared)}
        />
      )}
    </Card>
  );
}

/** The steps as rows. */
const cellsOf = ({ steps }: Report) => [
  ['Step', 'Name', 'Entered', 'Of previous', 'Of first', 'Median seconds', 'P90 seconds', 'Dropped', 'Open'],
  ...steps.map((step, i) => [
    i + 1,
    stepName(step, i),
    step.entered,
    step.fromPrevious,
    step.fromFirst,
    step.medianSeconds,
    step.p90Seconds,
    step.dropped,
    step.open,
  ]),
];
