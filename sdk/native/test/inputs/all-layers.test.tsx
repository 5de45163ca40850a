import {
  type FlowState,
  findScreen,
  type InputResponse,
  initFlowState,
  type StepResponse,
  startFlow,
  submitResponse,
} from '@svc/core';
import { activeScreenLayers, continueResponse, type ScreenDraft } from '@svc/core/internal';
import { act, fireEvent, screen } from '@testing-library/react-native';
import { allLayers, showScreen } from '../support/inputs';

const manifest = allLayers();
const option = (id: string) => fireEvent.press(screen.getByTestId(`option-${id}`));
const press = (name: string) => fireEvent.press(screen.getByRole('button', { name }));
const perform = (name: string, actionName: 'increment' | 'decrement') =>
  fireEvent(screen.getByRole('adjustable', { name }), 'accessibilityAction', { nativeEvent: { actionName } });
const type = (label: string, words: string) => fireEvent.changeText(screen.getByLabelText(label), words);
const adjustable = () => screen.getByRole('adjustable').props.accessibilityLabel as string;

/** What a person does on a screen, the button that submits it, and the draft that this leaves behind. */
interface Visit {
  screenId: string;
  fill(): void;
  submit?: string;
  draft: InputResponse;
  checkboxes?: Record<string, boolean>;
}

const VISITS: Visit[] = [
  { screenId: 'scr_al_choice', fill: () => option('b'), draft: { kind: 'choice', choiceId: 'b' } },
  {
    screenId: 'scr_al_multi',
    fill: () => {
      for (const id of ['z', 'x']) option(id);
      fireEvent.press(screen.getByTestId('lyr_al_ck'));
    },
    submit: 'lyr_al_mu_go',
    draft: { kind: 'multiChoice', choiceIds: ['z', 'x'] },
    checkboxes: { al_terms: true },
  },
  {
    screenId: 'scr_al_text',
    fill: () => type('Notes', '  two\nlines '),
    submit: 'lyr_al_text_go',
    draft: { kind: 'text', value: '  two\nlines ', classification: 'safe' },
  },
  {
    screenId: 'scr_al_scale',
    fill: () => perform(adjustable(), 'increment'),
    submit: 'lyr_al_scale_go',
    draft: { kind: 'scale', value: 0.75 },
  },
  {
    screenId: 'scr_al_wheel',
    fill: () => perform('Month', 'increment'),
    submit: 'lyr_al_wheel_go',
    draft: { kind: 'wheel', value: '06' },
  },
  {
    screenId: 'scr_al_date',
    fill: () => {
      press('Date and time');
      fireEvent(screen.getByTestId('system-date-picker'), 'change', {}, new Date(2027, 4, 17, 9, 29));
      press('Done');
    },
    submit: 'lyr_al_date_go',
    draft: { kind: 'date_time', value: '2027-05-17T09:29', classification: 'sensitive' },
  },
  {
    screenId: 'scr_al_step',
    fill: () => press('Increase'),
    submit: 'lyr_al_step_go',
    draft: { kind: 'number_stepper', value: 1.5, classification: 'safe' },
  },
  {
    screenId: 'scr_al_phone',
    fill: () => {
      press('Country');
      type('Search', 'germany');
      fireEvent.press(screen.getByRole('radio', { name: 'Germany +49' }));
      type('Phone', '030 1234567');
    },
    submit: 'lyr_al_phone_go',
    draft: { kind: 'phone', value: '', countryCode: 'DE', nationalNumber: '0301234567', classification: 'sensitive' },
  },
  {
    screenId: 'scr_al_addr',
    fill: () => {
      const lines = { Address: ' 1 Main St ', City: 'Springfield', 'Postal code': '12345' };
      for (const [label, words] of Object.entries(lines)) type(label, words);
      press('Country');
      type('Search', 'canada');
      fireEvent.press(screen.getByRole('radio', { name: 'Canada' }));
    },
    submit: 'lyr_al_addr_go',
    draft: {
      kind: 'address',
      value: { line1: ' 1 Main St ', city: 'Springfield', postalCode: '12345', country: 'CA' },
      classification: 'sensitive',
    },
  },
];

/** What the core submits for a draft, whatever draws it. */
function coreResponse(state: FlowState, { draft, checkboxes = {} }: Visit): StepResponse | null {
  const shown = findScreen(manifest, state.currentScreenId);
  if (!shown) throw new Error('no screen');
  const { locale, platform, sdkAttributes } = state.session;
  const layers = activeScreenLayers(shown, { responses: state.responses, sdkAttributes, locale, platform });
  const entered: ScreenDraft = { input: draft, checkboxes };
  return continueResponse(layers, entered);
}

beforeEach(() => {
  jest.useFakeTimers({ now: new Date(2026, 4, 17, 9, 30) });
});
afterEach(() => {
  jest.useRealTimers();
});

test('every input of the example answers what the core makes of the same draft, and the flow goes on by it', async () => {
  let state = startFlow(initFlowState({ ...manifest, entryScreenId: 'scr_al_choice' }, { platform: 'ios' }));
  for (const visit of VISITS) {
    expect(state.currentScreenId).toBe(visit.screenId);
    const shown = findScreen(manifest, visit.screenId);
    if (!shown) throw new Error(visit.screenId);
    const { responses } = await showScreen(manifest, shown, { interpolationContext: { responses: state.responses } });
    // Numbers are formatted once their library is here.
    await act(async () => undefined);
    visit.fill();
    if (visit.submit) fireEvent.press(screen.getByTestId(visit.submit));
    expect(responses).toEqual([coreResponse(state, visit)]);
    state = submitResponse(state, responses[0] as StepResponse);
    screen.unmount();
  }
  expect(state.currentScreenId).toBe('scr_al_oauth');
  expect(Object.keys(state.responses).sort()).toEqual(
    ['address', 'amount', 'many', 'month', 'note', 'phone', 'scale', 'single', 'terms', 'visit'].map(
      (key) => `al_${key}`,
    ),
  );
}, 60_000);

test('is drawn in Arabic as in English, in both palettes', async () => {
  for (const locale of ['en', 'ar']) {
    for (const theme of ['light', 'dark'] as const) {
      for (const shown of manifest.screens.slice(2, -2)) {
        await showScreen(manifest, shown, { locale, theme });
        expect(screen.getByTestId(shown.id)).toHaveStyle({ direction: locale === 'ar' ? 'rtl' : 'ltr' });
        screen.unmount();
      }
    }
  }
}, 60_000);
