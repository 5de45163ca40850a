import type { JsonObject } from '../../document/operation';
import type { Addition, Group } from '../addition';
import { layersFor } from './layers';

type Layers = ReturnType<typeof layersFor>;
type Block = Omit<Addition, 'kind' | 'make'> & { build(layers: Layers, paywall: string | undefined): JsonObject };

const auto = { width: 'auto' };
const center = { align: 'center' };

/** A price that the app may set by an attribute, in the store's currency; else the one that is written here. */
const price = (attribute: string, words: string) => `{{ custom.${attribute} | default: "${words}" }}`;

const starting: Block[] = [
  {
    id: 'header',
    name: 'Header with progress',
    what: 'Back, and how far along users are',
    words: 'top bar navigation steps back',
    region: 'header',
    build: ({ layer, row, icon }) =>
      row([
        layer('back_button', {
          variant: 'ghost',
          children: [icon('chevron-back', 22)],
          style: { width: 44, height: 44 },
        }),
        layer('progress', { style: { width: 'full', height: 6, radius: 3 } }),
      ]),
  },
  {
    id: 'hero',
    name: 'Image with headline',
    what: 'A picture, a promise and a sentence',
    words: 'hero intro welcome title picture splash',
    build: ({ layer, column, headline, text }) =>
      column(
        [
          layer('image', { style: { width: 'full', height: 220, fit: 'contain' } }),
          headline('A promise in five words', center),
          text('One sentence that says what people get out of it.', { ...center, opacity: 0.7 }),
        ],
        {},
        { gap: 12 },
      ),
  },
  {
    id: 'features',
    name: 'Feature list',
    what: 'What users get, line by line',
    words: 'benefits checklist bullets points advantages',
    build: ({ column, row, icon, text }) =>
      column(
        ['The first thing people get', 'The second one', 'And the third'].map((words) =>
          row([icon('checkmark-circle', 22), text(words)]),
        ),
        {},
        { gap: 12 },
      ),
  },
  {
    id: 'actions',
    name: 'Continue and skip',
    what: 'The two buttons at the bottom',
    words: 'footer cta buttons later next bottom',
    region: 'footer',
    build: ({ column, primary, quiet }) =>
      column([primary('Continue', { kind: 'continue' }), quiet('Maybe later', { kind: 'skip' })], {}, { gap: 4 }),
  },
];

const asking: Block[] = [
  {
    id: 'question',
    name: 'Question with options',
    what: 'A tap answers it and goes on',
    words: 'single choice quiz survey poll select radio picker',
    asks: 'single_choice',
    build: ({ column, headline, small, option, choice, text }) =>
      column(
        [
          headline('What brings you here?'),
          small('Choose one.'),
          choice(
            'single_choice',
            'goal',
            ['The first', 'The second', 'Something else'].map((one) => option([text(one)])),
          ),
        ],
        {},
        { gap: 12 },
      ),
  },
  {
    id: 'several',
    name: 'Question with several answers',
    what: 'Any number of options, then Continue',
    words: 'multiple choice checkboxes interests tags survey select',
    asks: 'multiple_choice',
    build: ({ column, headline, small, option, choice, text, primary }) =>
      column(
        [
          headline('What are you interested in?'),
          small('Choose all that fit.'),
          choice(
            'multiple_choice',
            'interests',
            ['The first', 'The second', 'The third'].map((one) => option([text(one)])),
          ),
          primary('Continue', { kind: 'continue' }),
        ],
        {},
        { gap: 12 },
      ),
  },
];

const selling: Block[] = [
  {
    id: 'price',
    name: 'Price card',
    what: 'A plan, its price and the way to buy it',
    words: 'paywall product subscription plan offer buy purchase pricing',
    build: ({ card, row, icon, headline, small, text, primary, buy }) =>
      card(
        [
          text('Yearly', { fontWeight: 600 }),
          row(
            [headline(price('yearly_price', '$39.99'), { ...auto, fontSize: 30 }), small('per year', auto)],
            {},
            { gap: 8 },
          ),
          ...['Everything, without limits', 'Cancel at any time'].map((words) =>
            row([icon('checkmark', 18), text(words)], {}, { gap: 8 }),
          ),
          primary('Continue', buy),
        ],
        {},
        { gap: 12 },
      ),
  },
  {
    id: 'plans',
    name: 'Choice of plans',
    what: 'Three plans with prices to choose from, one with a badge',
    words: 'paywall product subscription pricing yearly monthly weekly price cards offers badge',
    asks: 'single_choice',
    build({ column, option, choice, text, small, badge }) {
      const plan = (name: string, note: string, attribute: string, amount: string, mark: readonly JsonObject[] = []) =>
        option([
          column([text(name, { fontWeight: 600 }), small(note)], {}, { gap: 2 }),
          ...mark,
          text(price(attribute, amount), { ...auto, fontWeight: 600 }),
        ]);
      return choice('single_choice', 'plan', [
        plan('Yearly', 'Seven days free', 'yearly_price', '$39.99', [badge('Best value')]),
        plan('Monthly', 'Cancel at any time', 'monthly_price', '$4.99'),
        plan('Weekly', 'Cancel at any time', 'weekly_price', '$1.99'),
      ]);
    },
  },
  {
    id: 'toggle',
    name: 'Words with a toggle',
    what: 'On or off, such as a free trial',
    words: 'paywall switch checkbox trial enabled reminder setting option yes no',
    asks: 'checkbox',
    build: ({ card, column, row, text, small, layer, key, color }) =>
      card([
        row([
          column([text('Free trial', { fontWeight: 600 }), small('Nothing to pay today.')], {}, { gap: 2 }),
          layer('checkbox', {
            fieldKey: key('free_trial'),
            uncheckedStyle: { size: 28, radius: 14, border: { width: 2, color: color('foreground') }, opacity: 0.4 },
            checkedStyle: {
              ...{ size: 28, radius: 14, background: color('primary'), checkColor: color('primaryForeground') },
            },
          }),
        ]),
      ]),
  },
  {
    id: 'trial',
    name: 'Trial timeline',
    what: 'What happens when in a free trial',
    words: 'paywall free trial reminder steps schedule honest',
    build: ({ column, row, icon, text, small }) =>
      column(
        [
          ['lock-open-outline', 'Today', 'Everything is yours to try.'],
          ['notifications-outline', 'Day 5', 'We remind you that the trial ends.'],
          ['star-outline', 'Day 7', 'The plan begins, unless you cancel before.'],
        ].map(([name, when, what]) =>
          row([icon(name!, 24), column([text(when!, { fontWeight: 600 }), small(what!)], {}, { gap: 2 })]),
        ),
        {},
        { gap: 16 },
      ),
  },
  {
    id: 'testimonial',
    name: 'Testimonial',
    what: 'What a customer says, with stars',
    words: 'review quote rating social proof customer',
    build: ({ card, row, icon, text, small }) =>
      card([
        row(
          [1, 2, 3, 4, 5].map(() => icon('star', 16)),
          auto,
          { gap: 2 },
        ),
        text('“The words of a customer, as they said them.”', { lineHeight: 1.4 }),
        small('Name of the customer'),
      ]),
  },
  {
    id: 'proof',
    name: 'Social proof',
    what: 'Rating and number of users, side by side',
    words: 'stars downloads numbers statistics trust rating award',
    build: ({ row, column, text, small }) =>
      row(
        [
          ['4.8', 'in the store'],
          ['1 M', 'downloads'],
          ['92 %', 'stay'],
        ].map(([number, what]) =>
          column([text(number!, { ...center, fontSize: 22, fontWeight: 700 }), small(what!, center)], {}, { gap: 2 }),
        ),
        {},
        { align: 'start' },
      ),
  },
  {
    id: 'legal',
    name: 'Legal footer',
    what: 'Terms, privacy, and Restore with a paywall',
    words: 'terms privacy restore purchases imprint conditions gdpr bottom',
    region: 'footer',
    build({ layer, row, quiet, text, tapped }, paywall) {
      const small = { ...auto, fontSize: 12, opacity: 0.7 };
      const link = (words: string, href: string) =>
        layer('hyperlink', {
          href,
          children: [text(words, small)],
          style: { ...auto, height: 'auto', padding: tapped(0, 15) },
        });
      const restore = paywall && {
        ...quiet('', { kind: 'go_to_step', screenId: paywall }, { ...auto, padding: tapped(0, 15) }),
        children: [text('Restore', small)],
      };
      const links = [link('Terms', 'https://example.com/terms'), link('Privacy', 'https://example.com/privacy')];
      return row(restore ? [restore, ...links] : links, {}, { distribution: 'center', gap: 20 });
    },
  },
];

/** Finished blocks of layers: made of what any flow may have, so that whoever adds one can change every part of it. */
export const blocks: readonly Group[] = (
  [
    ['Blocks: page', starting],
    ['Blocks: questions', asking],
    ['Blocks: paywall and trust', selling],
  ] as const
).map(([name, list]) => ({
  name,
  additions: list.map(({ build, ...block }): Addition => {
    const make: Addition['make'] = (making) => ({ ...build(layersFor(making), making.paywall), name: block.name });
    return { ...block, kind: block.id === 'plans' ? 'single_choice' : 'stack', make };
  }),
}));
