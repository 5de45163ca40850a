import type { HomeCard } from '../../graphql/schema.gen';

/** The cards of the page, in the order in which they are offered, and what each shows. */
export const cardNames: Record<HomeCard, { name: string; shows: string }> = {
  TREND: { name: 'Metrics', shows: 'Visitors, sessions, revenue and more, over time' },
  SOURCES: { name: 'Sources', shows: 'Channels, sources, referrers and campaigns' },
  PAGES: { name: 'Pages', shows: 'Pages, entries and exits' },
  LOCATIONS: { name: 'Locations', shows: 'Countries' },
  DEVICES: { name: 'Devices', shows: 'Devices, browsers and operating systems' },
  EVENTS: { name: 'Events', shows: 'Events by count' },
  GOALS: { name: 'Goals', shows: 'Converters and rate of each goal' },
  FLOWS: { name: 'Flows', shows: 'Starts and completion rate of each flow' },
  EXPERIMENTS: { name: 'Experiments', shows: 'Status and end of the newest experiments' },
  REVENUE: { name: 'Net revenue', shows: 'Charges and renewals less refunds, over time' },
};

/** A card and whether the page shows it. */
export type Offered = { card: HomeCard; shown: boolean };

/** All cards: those of the page in its order, then the others. */
export function offer(cards: readonly HomeCard[]): Offered[] {
  const others = (Object.keys(cardNames) as HomeCard[]).filter((card) => !cards.includes(card));
  return [...cards.map((card) => ({ card, shown: true })), ...others.map((card) => ({ card, shown: false }))];
}

/** The same list with one entry at another place; a place beyond either end is that end. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, i) => i !== from);
  const place = Math.max(0, Math.min(to, rest.length));
  return [...rest.slice(0, place), list[from]!, ...rest.slice(place)];
}

export const shownOf = (offered: readonly Offered[]): HomeCard[] =>
  offered.filter(({ shown }) => shown).map(({ card }) => card);

/** The cards that fill a row of two columns: the metrics, and whichever stands alone in its row. */
export function wideOf(cards: readonly HomeCard[]): HomeCard[] {
  const wide: HomeCard[] = [];
  for (let i = 0; i < cards.length; i++) {
    const next = cards[i + 1];
    if (cards[i] === 'TREND' || next === undefined || next === 'TREND') wide.push(cards[i]!);
    else i++; // the next one stands beside it
  }
  return wide;
}
