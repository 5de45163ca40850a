import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { conditionsQuery } from '../../conditions/queries';
import type { FunnelStepInput } from '../../graphql/schema.gen';
import type { Place } from '../../scope/scope';
import { FormDrawer } from '../../ui/FormDrawer';
import { draftOfFunnel } from '../funnels/draft';
import { FunnelForm } from '../funnels/FunnelForm';

type Props = { place: Place; steps: FunnelStepInput[]; close: () => void };

/** Adds a funnel by session of the steps of a path, and shows it. */
export function PathFunnel({ place, steps, close }: Props) {
  const navigate = useNavigate();
  const known = useQuery(conditionsQuery(place)).data?.data.app;
  const show = (funnel: string) =>
    void navigate({
      to: '/apps/$app/$environment/funnels',
      params: place,
      search: ({ kind: _k, name: _n, direction: _d, steps: _s, nodes: _o, group: _g, ...scope }) => ({
        ...scope,
        funnel,
      }),
    });
  return (
    <FormDrawer opened close={close} title="Add funnel" what="the funnel">
      {(note) =>
        known && (
          <FunnelForm
            note={note}
            place={place}
            funnel={undefined}
            begin={draftOfFunnel({ steps, by: 'SESSION', order: 'LOOSE', windowMinutes: 1440 })}
            goals={known.goals?.nodes ?? []}
            flows={known.flows?.nodes ?? []}
            done={show}
          />
        )
      }
    </FormDrawer>
  );
}
