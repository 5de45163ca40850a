import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { may } from '../../app/session/session';
import { comparedLines, LineChart } from '../../charts/LineChart';
import { describe } from '../../conditions/conditions';
import { type Dimension, goalDimensions } from '../../conditions/dimensions';
import { conditionsQuery, stepsQuery } from '../../conditions/queries';
import type { DataOf } from '../../graphql/graphql';
import type { GoalConditionInput } from '../../graphql/schema.gen';
import { ReportTable } from '../../scope/ReportTable';
import { ScopeBar } from '../../scope/ScopeBar';
import type { Place } from '../../scope/scope';
import { useChart } from '../../scope/useChart';
import { useCompared } from '../../scope/useCompared';
import { valueName } from '../../scope/valueName';
import { type Beginning, goalSegment } from '../../segments/journey';
import { SegmentOf } from '../../segments/SegmentOf';
import { shareToken } from '../../share/link';
import { Card } from '../../ui/Card';
import formStyles from '../../ui/Form.module.css';
import { FormDrawer } from '../../ui/FormDrawer';
import { type Column, RankedTable } from '../../ui/RankedTable';
import { GoalForm } from './GoalForm';
import { goalQuery, goalsQuery } from './queries';
import type { GoalsView } from './search';

const goalsRoute = getRouteApi('/apps/$app/$environment/goals');
const appRoute = getRouteApi('/apps/$app/$environment');

type Reports = NonNullable<NonNullable<DataOf<'Goals'>['app']>['productAnalytics']>;
type Row = NonNullable<Reports['goals']>['nodes'][number];
type Figures = Pick<Row, 'converters' | 'conversions' | 'rate' | 'revenue'>;

const columns: Column<Figures, 'CONVERTERS' | 'CONVERSIONS' | 'RATE' | 'REVENUE'>[] = [
  { id: 'converters', name: 'Converters', kind: 'count', value: ({ converters }) => converters, sort: 'CONVERTERS' },
  {
    id: 'conversions',
    name: 'Conversions',
    kind: 'count',
    value: ({ conversions }) => conversions,
    sort: 'CONVERSIONS',
  },
  { id: 'rate', name: 'Rate', kind: 'share', value: ({ rate }) => rate, sort: 'RATE' },
  { id: 'revenue', name: 'Revenue', kind: 'money', value: ({ revenue }) => revenue, sort: 'REVENUE' },
];

const figuresOf = (row: Figures | undefined) => ({
  converters: row?.converters,
  conversions: row?.conversions,
  goalRate: row?.rate,
});

/** How often each goal was met, and one of them over time and by a dimension. */
export function GoalsPage() {
  const search = goalsRoute.useSearch();
  const place: Place = goalsRoute.useParams();
  const navigate = goalsRoute.useNavigate();
  const { access } = appRoute.useRouteContext();
  const [editing, setEditing] = useState<'new' | 'chosen'>();
  const [segment, setSegment] = useState<Beginning>();
  const answer = useQuery(goalsQuery(place, search));
  const compared = useCompared(goalsQuery(place, search, 'compared'), search)?.data.app?.productAnalytics;
  const conditions = useQuery({ ...conditionsQuery(place), enabled: !shareToken }).data?.data.app;
  const manages = may(access, 'SEGMENT_MANAGE');
  const rows = answer.data?.data.app?.productAnalytics?.goals?.nodes;
  const row = rows?.find(({ goalId }) => goalId === search.goal) ?? rows?.[0];
  const id = search.goal ?? row?.goalId;
  const chosen = conditions?.goals?.nodes.find((goal) => goal.id === id);
  const flow = (chosen?.condition as GoalConditionInput | undefined)?.flow;
  const steps = useQuery(stepsQuery(place, search, flow?.step ? flow.flowId : undefined)).data?.data.flowAnalytics
    ?.funnel?.steps;
  const show = (goal?: string) =>
    void navigate({
      search: (before) => ({ ...before, goal, split: goal ? before.split : undefined }),
      resetScroll: false,
    });
  const add = manages && <Button onClick={() => setEditing('new')}>Add goal</Button>;
  return (
    <>
      <ScopeBar title="Goals" />
      <Card
        title="Goals"
        answer={answer}
        part={({ app }) => app?.productAnalytics?.goals}
        path="app.productAnalytics.goals"
        figures={({ nodes }) => figuresOf(nodes[0])}
        example={({ nodes }) => nodes[0] && `“${nodes[0].name}”, the first row`}
        waiting={{ rows: 8 }}
        actions={(answer.data?.data.app?.productAnalytics?.goals?.totalCount ?? 0) > 0 || search.q ? add : undefined}
        empty={({ totalCount }) =>
          totalCount === 0 && !search.q
            ? {
                title: 'No goals yet',
                why: 'A goal is something visitors should do: an event, a page, a completed flow, a purchase. It is counted for the past as well.',
                next: add || 'Members who edit can add one.',
              }
            : undefined
        }
      >
        {(page) => (
          <ReportTable
            name="Goal"
            rows={page.nodes}
            total={page.totalCount}
            columns={columns}
            keyOf={({ goalId }) => goalId}
            label={({ name }) => name}
            text={({ name }) => name}
            file="goals"
            search={search}
            compared={compared?.goals}
            usual="CONVERTERS"
            pick={({ goalId }) => show(goalId)}
            hint="Show over time and by a dimension"
            nothing={search.q ? 'No goal has this name.' : undefined}
          />
        )}
      </Card>
      {/* Readers of a shared link see no conditions. */}
      {shareToken && row && <Chosen place={place} search={{ ...search, goal: row.goalId }} name={row.name} />}
      {chosen && (
        <Chosen
          place={place}
          search={{ ...search, goal: chosen.id }}
          name={chosen.name}
          words={describe(chosen.condition as GoalConditionInput, conditions?.flows?.nodes ?? [], steps)}
          edit={manages ? () => setEditing('chosen') : undefined}
          save={() => setSegment(goalSegment(place, search, chosen))}
        />
      )}
      <SegmentOf place={place} begin={segment} close={() => setSegment(undefined)} />
      <FormDrawer
        opened={editing !== undefined}
        close={() => setEditing(undefined)}
        title={editing === 'chosen' ? 'Edit goal' : 'Add goal'}
        what="the goal"
      >
        {(note) =>
          editing && (
            <GoalForm
              note={note}
              place={place}
              goal={editing === 'chosen' ? chosen : undefined}
              goals={conditions?.goals?.nodes ?? []}
              flows={conditions?.flows?.nodes ?? []}
              done={() => setEditing(undefined)}
              deleted={() => {
                setEditing(undefined);
                show();
              }}
            />
          )
        }
      </FormDrawer>
    </>
  );
}

type ChosenProps = {
  place: Place;
  search: GoalsView & { goal: string };
  name: string;
  /** The condition. */
  words?: string;
  edit?: () => void;
  /** Makes a segment of the converters. */
  save?: () => void;
};

function Chosen({ place, search, name, words, edit, save }: ChosenProps) {
  const navigate = goalsRoute.useNavigate();
  const answer = useQuery(goalQuery(place, search));
  const compared = useCompared(goalQuery(place, search, 'compared'), search)?.data.app?.productAnalytics;
  const split = search.split ?? 'ACQUISITION_CHANNEL';
  const chart = useChart(answer.data?.data.app?.productAnalytics?.goalSeries?.length ?? 0);
  return (
    <>
      <Card
        title={name}
        answer={answer}
        part={({ app }) => app?.productAnalytics?.goalSeries}
        path="app.productAnalytics.goalSeries"
        figures={() => figuresOf(undefined)}
        waiting={{ height: 290 }}
        actions={
          edit && (
            <div className={formStyles.acts}>
              <Button variant="default" onClick={save}>
                Save converters as segment…
              </Button>
              <Button variant="default" onClick={edit}>
                Edit goal
              </Button>
            </div>
          )
        }
      >
        {(points) => (
          <>
            {words && <p style={{ margin: '0 0 var(--space-2)' }}>{words}</p>}
            <LineChart
              title={`Converters of ${name} over time`}
              kind="count"
              {...chart}
              lines={comparedLines(
                'Converters',
                points,
                ({ converters }) => converters,
                chart.comparedName,
                compared?.goalSeries,
              )}
            />
          </>
        )}
      </Card>
      <Card
        title={`${name} by ${goalDimensions[split].toLowerCase()}`}
        answer={answer}
        part={({ app }) => app?.productAnalytics?.goalBreakdown}
        path="app.productAnalytics.goalBreakdown"
        figures={() => figuresOf(undefined)}
        waiting={{ rows: 8 }}
        empty={({ nodes }) => (nodes.length > 0 ? undefined : <p>No data in this period.</p>)}
        actions={
          <Select
            aria-label="Break down by"
            size="xs"
            allowDeselect={false}
            value={split}
            data={Object.entries(goalDimensions).map(([value, label]) => ({ value, label }))}
            onChange={(value) =>
              void navigate({
                search: (before) => ({ ...before, split: (value ?? undefined) as Dimension | undefined }),
                resetScroll: false,
              })
            }
          />
        }
      >
        {({ nodes }) => (
          <RankedTable
            name={goalDimensions[split]}
            rows={nodes}
            columns={[
              ...columns.map(({ sort: _, ...column }) => column),
              { id: 'visitors', name: 'Visitors', kind: 'count', value: ({ visitors }) => visitors },
            ]}
            keyOf={({ value, country, region }) => `${country}/${region}/${value}`}
            label={({ value }) => (value ? valueName(split, value) : '(none)')}
          />
        )}
      </Card>
    </>
  );
}
