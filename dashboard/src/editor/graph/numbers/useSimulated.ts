import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { problemsAt, Refused } from '../../../graphql/problems';
import { kindOf } from '../../../scope/scope';
import {
  type Simulation,
  type StepShares,
  simulationQuery,
  stepShares,
  type WayShares,
  wayShares,
} from '../../simulation';
import type { FlowPlace } from './queries';

/** The simulator beside the numbers. */
export type Simulated = {
  on: boolean;
  turn: (on: boolean) => void;
  /** By step; undefined where nothing is shown. */
  shares: ReadonlyMap<string, StepShares> | undefined;
  /** By way, of the steps that users come to. */
  ways: ReadonlyMap<string, WayShares> | undefined;
  simulation: Simulation | undefined;
  loading: boolean;
  error: unknown;
  /** Simulates the draft as it is now. */
  again: () => void;
};

/** What recorded runs do in the draft, while the reader wants it. Turned on it is asked anew: the draft may have changed. */
export function useSimulated(place: FlowPlace, numbersOn: boolean): Simulated {
  const [on, setOn] = useState(false);
  const shown = on && numbersOn;
  const asked = useQuery({ ...simulationQuery(place.flow, kindOf(place.environment)), staleTime: 0, enabled: shown });
  const simulation = (shown && asked.data?.data.simulateDraft) || undefined;
  const refused = problemsAt(asked.data?.problems ?? [], 'simulateDraft');
  const error = refused.length > 0 ? new Refused(refused) : asked.failureCount >= 2 ? asked.failureReason : asked.error;
  const drawn = useMemo(
    () =>
      simulation && simulation.runs > 0
        ? { shares: new Map(stepShares(simulation).map((step) => [step.id, step])), ways: wayShares(simulation) }
        : { shares: undefined, ways: undefined },
    [simulation],
  );
  return {
    on,
    turn: setOn,
    ...drawn,
    simulation,
    loading: shown && asked.isFetching,
    error: shown && !asked.isFetching ? error : null,
    again: () => void asked.refetch(),
  };
}
