import { ActionIcon, Button, Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { HomeCard } from '../../graphql/schema.gen';
import formStyles from '../../ui/Form.module.css';
import { Icon } from '../../ui/Icon';
import { Problem } from '../../ui/Problem';
import { useAct } from '../../ui/useAct';
import { ArrangeList } from './ArrangeList';
import { offer, shownOf } from './cards';
import { layoutQuery, setLayout } from './queries';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** Opens the choice of cards, which is the member's own. */
export function Arrange() {
  const place = homeRoute.useParams();
  const layout = useQuery(layoutQuery(place)).data?.data.app?.homeLayout;
  const [open, setOpen] = useState(false);
  if (!layout) return null;
  return (
    <>
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Arrange home"
        title="Arrange home"
        data-print="no"
        onClick={() => setOpen(true)}
      >
        <Icon name="arrange" />
      </ActionIcon>
      <Drawer
        opened={open}
        onClose={() => setOpen(false)}
        title="Arrange home"
        position="right"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {open && <Form cards={layout.cards} usual={layout.default} done={() => setOpen(false)} />}
      </Drawer>
    </>
  );
}

type FormProps = { cards: readonly HomeCard[]; usual: boolean; done: () => void };

function Form({ cards, usual, done }: FormProps) {
  const place = homeRoute.useParams();
  const [offered, setOffered] = useState(() => offer(cards));
  const { act, busy, problem } = useAct();
  const shown = shownOf(offered);
  const save = async (cards: HomeCard[] | null, name: string) => {
    if (await act(() => setLayout(place, cards), name)) done();
  };
  return (
    <>
      <p>Choose the cards of your home page of this app and their order. Other members keep their own.</p>
      <ArrangeList offered={offered} change={setOffered} />
      <Problem text={problem} />
      <div className={formStyles.acts} data-at="apart">
        <Button variant="default" disabled={usual} loading={busy === 'reset'} onClick={() => void save(null, 'reset')}>
          Reset to default
        </Button>
        <Button disabled={shown.length === 0} loading={busy === 'save'} onClick={() => void save(shown, 'save')}>
          Save
        </Button>
      </div>
    </>
  );
}
