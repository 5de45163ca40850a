import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { explain } from '../../../graphql/problems';
import { periodNames } from '../../../scope/range';
import { countOf, formatShort } from '../../../ui/format';
import type { Simulation } from '../../simulation';
import { Tick } from '../../Tick';
import styles from './Numbers.module.css';
import { type FlowPlace, period } from './queries';
import type { NumbersState } from './useNumbers';
import type { Simulated } from './useSimulated';

type Props = { on: boolean; turn: (on: boolean) => void; state: NumbersState; place: FlowPlace; simulated: Simulated };

/** Turns the numbers on the graph on, and says of which version and period they are, or why there are none. */
export function NumbersSwitch({ on, turn, state, place, simulated }: Props) {
  return (
    <div className={styles.switch} data-failed={state.is === 'failed' || undefined}>
      <Tick
        role="switch"
        label="Numbers"
        checked={on}
        change={turn}
        title="Users who reached each step of the last published version, and the share who left there"
      />
      <span role="status" className={styles.state}>
        {wordsOf(state)}
      </span>
      {state.is === 'failed' && (
        <Button variant="subtle" size="compact-xs" onClick={state.retry}>
          Try again
        </Button>
      )}
      {state.is === 'shown' && (
        <Link to="/apps/$app/$environment/flows/$flow" params={place} search={{ range: period }}>
          Report
        </Link>
      )}
      {on && <SimulatedSwitch {...simulated} />}
    </div>
  );
}

/** Turns the simulator on, and says of how many runs the shares are. */
function SimulatedSwitch({ on, turn, simulation, loading, error, again }: Simulated) {
  const problem = error ? explain(error) : undefined;
  return (
    <>
      <Tick
        role="switch"
        label="Simulated"
        checked={on}
        change={turn}
        title="Share of users who would reach each step of this draft: recorded runs, replayed"
      />
      <span role="status" className={styles.state}>
        {on && (loading ? 'Simulating…' : problem ? `${problem.title}: ${problem.detail}` : simulatedOf(simulation))}
      </span>
      {on && !loading && (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={again}
          title="Replays the runs through the draft as it is now"
        >
          Simulate again
        </Button>
      )}
    </>
  );
}

function simulatedOf(simulation: Simulation | undefined): string {
  if (!simulation) return '';
  if (simulation.runs === 0) return 'No runs recorded yet';
  const unknown = simulation.draft.unknown;
  return `${countOf(simulation.runs, 'run')}${unknown > 0 ? `, ${formatShort(unknown / simulation.runs, 'share')} unknown` : ''}`;
}

function wordsOf(state: NumbersState): string {
  switch (state.is) {
    case 'off':
      return '';
    case 'loading':
      return 'Loading numbers…';
    case 'unpublished':
      return 'No version published yet. Numbers come with the first one.';
    case 'nobody':
      return `v${state.version} · No users in the last 28 days`;
    case 'shown':
      return `v${state.version} · ${periodNames[period].name}`;
    case 'failed': {
      const { title, detail } = explain(state.error);
      return `Numbers could not be loaded. ${title}: ${detail}`;
    }
  }
}
