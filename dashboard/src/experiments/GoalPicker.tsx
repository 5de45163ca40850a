import { MultiSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { send } from '../graphql/send';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './Experiments.module.css';
import { choicesQuery, type ExperimentDetail, experimentsChanged, updateDocument } from './queries';

const experimentRoute = getRouteApi('/apps/$app/$environment/experiments/$experiment');

/** As many as the server takes. */
const mostGoals = 10;

/** What decides an experiment and the goals that are measured besides, saved as they are chosen. What decides is frozen
 * by the start. */
export function GoalPicker({ experiment: { id, status, goals } }: { experiment: ExperimentDetail }) {
  const place = experimentRoute.useParams();
  const choices = useQuery(choicesQuery(place)).data?.data.app?.goals?.nodes ?? [];
  const { act, problem } = useAct();
  const primary = goals.find((one) => one.primary)?.goal.id ?? '';
  const secondary = goals.flatMap((one) => (one.primary ? [] : [one.goal.id]));
  const named = [...choices, ...goals.map(({ goal }) => goal)].map(({ id, name }) => ({ value: id, label: name }));
  const data = [...new Map(named.map((one) => [one.value, one])).values()];
  const choose = (decides: string, besides: readonly string[]) =>
    void act(async () => {
      const chosen = [
        ...(decides ? [{ goalId: decides, primary: true }] : []),
        ...besides.filter((goal) => goal !== decides).map((goalId) => ({ goalId, primary: false })),
      ];
      await send(updateDocument, { input: { id, goals: chosen } });
      await experimentsChanged();
    });
  return (
    <div className={styles.goals}>
      {status === 'DRAFT' && (
        <Select
          label="Primary metric"
          description="Decides the experiment; frozen by the start"
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          value={primary}
          onChange={(goal) => choose(goal ?? '', secondary)}
          data={[{ value: '', label: 'Completed flow' }, ...data]}
        />
      )}
      <MultiSelect
        label="Secondary goals"
        description={
          data.length > 0 ? undefined : (
            <>
              This app has no goals yet.{' '}
              <Link to="/apps/$app/$environment/goals" params={place}>
                Add a goal
              </Link>
            </>
          )
        }
        placeholder={secondary.length === 0 ? 'None' : undefined}
        searchable
        classNames={{ inputField: styles.typed }}
        maxValues={mostGoals - (primary ? 1 : 0)}
        comboboxProps={{ withinPortal: false }}
        value={secondary}
        onChange={(besides) => choose(primary, besides)}
        data={data.filter(({ value }) => value !== primary)}
      />
      <Problem text={problem} />
    </div>
  );
}
