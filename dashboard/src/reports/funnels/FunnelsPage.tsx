import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { may } from '../../app/session/session';
import { conditionsQuery } from '../../conditions/queries';
import { ScopeBar } from '../../scope/ScopeBar';
import type { Place } from '../../scope/scope';
import { Card } from '../../ui/Card';
import { FormDrawer } from '../../ui/FormDrawer';
import { countOf } from '../../ui/format';
import { type Definition, rulesOf, windowWords } from './draft';
import { type Funnel, FunnelForm } from './FunnelForm';
import { FunnelReports } from './FunnelReports';
import styles from './Funnels.module.css';
import { funnelsQuery } from './queries';

const funnelsRoute = getRouteApi('/apps/$app/$environment/funnels');
const appRoute = getRouteApi('/apps/$app/$environment');

const definitionOf = ({ definition }: Funnel) => definition as Definition;

/** The funnels of an app, and how far visitors came through one of them. */
export function FunnelsPage() {
  const search = funnelsRoute.useSearch();
  const place: Place = funnelsRoute.useParams();
  const navigate = funnelsRoute.useNavigate();
  const { access } = appRoute.useRouteContext();
  const [editing, setEditing] = useState<'new' | 'chosen'>();
  const answer = useQuery(funnelsQuery(place));
  const conditions = useQuery(conditionsQuery(place)).data?.data.app;
  const flows = conditions?.flows?.nodes ?? [];
  const manages = may(access, 'SEGMENT_MANAGE');
  const funnels = answer.data?.data.app?.funnels?.nodes ?? [];
  const chosen = funnels.find(({ id }) => id === search.funnel) ?? funnels[0];
  const show = (funnel?: string) => {
    setEditing(undefined);
    void navigate({ search: (before) => ({ ...before, funnel }), resetScroll: false });
  };
  const add = manages && <Button onClick={() => setEditing('new')}>Add funnel</Button>;
  return (
    <>
      <ScopeBar title="Funnels" />
      <div className={chosen && styles.page}>
        <Card
          title="Funnels"
          answer={answer}
          part={({ app }) => app?.funnels}
          path="app.funnels"
          waiting={{ rows: 3 }}
          actions={chosen && add}
          empty={({ nodes }) =>
            nodes.length > 0
              ? undefined
              : {
                  title: 'No funnels yet',
                  why: 'A funnel is 2 to 10 steps, such as a page, an event and a purchase. It shows how many visitors go from each step to the next, and where they drop off.',
                  next: add || 'Members who edit can add one.',
                }
          }
        >
          {({ nodes }) => (
            <ul className={styles.list}>
              {nodes.map((funnel) => (
                <li key={funnel.id}>
                  <Link
                    to="."
                    search={(before: object) => ({ ...before, funnel: funnel.id })}
                    resetScroll={false}
                    aria-current={funnel.id === chosen?.id ? 'page' : undefined}
                  >
                    <bdi>{funnel.name}</bdi>
                    <small>{outlineOf(definitionOf(funnel))}</small>
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </Card>
        {chosen && (
          <div className={styles.reports}>
            <FunnelReports
              place={place}
              search={search}
              name={chosen.name}
              input={definitionOf(chosen)}
              rules={rulesOf(definitionOf(chosen), flows)}
              goals={conditions?.goals?.nodes ?? []}
              edit={manages ? () => setEditing('chosen') : undefined}
            />
          </div>
        )}
      </div>
      <FormDrawer
        opened={editing !== undefined}
        close={() => setEditing(undefined)}
        title={editing === 'chosen' ? 'Edit funnel' : 'Add funnel'}
        what="the funnel"
      >
        {(note) =>
          editing &&
          conditions && (
            <FunnelForm
              note={note}
              place={place}
              funnel={editing === 'chosen' ? chosen : undefined}
              goals={conditions.goals?.nodes ?? []}
              flows={flows}
              done={show}
              deleted={() => show()}
            />
          )
        }
      </FormDrawer>
    </>
  );
}

const outlineOf = ({ steps, by, windowMinutes }: Definition) =>
  `${countOf(steps.length, 'step')}, ${by === 'SESSION' ? 'per session' : `within ${windowWords(windowMinutes)}`}`;
