import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { HomeCard } from '../../graphql/schema.gen';
import type { Answer } from '../../graphql/send';
import { ScopeBar } from '../../scope/ScopeBar';
import { zoneOf } from '../../scope/scope';
import { shareToken } from '../../share/link';
import { Waiting } from '../../ui/Waiting';
import { Arrange } from './Arrange';
import { wideOf } from './cards';
import { Experiments } from './Experiments';
import { FirstEvent } from './FirstEvent';
import { Flows } from './Flows';
import { Goals } from './Goals';
import styles from './HomePage.module.css';
import { homeQuery, layoutQuery } from './queries';
import { Ranked } from './Ranked';
import { Revenue } from './Revenue';
import { scopeOf } from './search';
import { Trend } from './Trend';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

const arrange = <Arrange />;

/** The page that answers most questions: metrics over time, and what is behind them; each member chooses its cards. */
export function HomePage() {
  const search = homeRoute.useSearch();
  const place = homeRoute.useParams();
  const scope = scopeOf(search);
  const answer = useQuery(homeQuery(place, scope));
  const layout = useQuery({ ...layoutQuery(place), enabled: !shareToken });
  const reports = answer.data?.data.app?.productAnalytics;
  const cards = layout.data?.data.app?.homeLayout?.cards ?? (layout.isLoading ? undefined : usual);
  const wide = wideOf(cards ?? []);
  const shown = cards ? (
    <div className={styles.cards}>
      {cards.map((card) => (
        <div key={card} className={styles.card} data-wide={wide.includes(card) || undefined}>
          {cardOf(card, answer)}
        </div>
      ))}
    </div>
  ) : (
    <Waiting height={356} />
  );
  return (
    <>
      <ScopeBar title="Home" action={shareToken ? undefined : arrange} />
      {reports?.summary?.sessions === 0 && !scope.f && !shareToken ? (
        <FirstEvent place={place}>{shown}</FirstEvent>
      ) : (
        shown
      )}
      <p className={styles.asOf}>
        {answer.data && `As of ${answer.data.at.toLocaleTimeString()}, time zone: ${zoneOf(scope)}`}
      </p>
    </>
  );
}

/** What the page shows to readers of a shared link, and where the layout can't be read. */
const usual: readonly HomeCard[] = ['TREND', 'SOURCES', 'PAGES', 'LOCATIONS', 'DEVICES', 'EVENTS'];

function cardOf(card: HomeCard, answer: UseQueryResult<Answer<'Home'>>): ReactElement {
  switch (card) {
    case 'TREND':
      return <Trend answer={answer} />;
    case 'GOALS':
      return <Goals />;
    case 'FLOWS':
      return <Flows />;
    case 'EXPERIMENTS':
      return <Experiments />;
    case 'REVENUE':
      return <Revenue />;
    default:
      return <Ranked group={card} answer={answer} part={({ app }) => app?.productAnalytics?.overview} />;
  }
}
