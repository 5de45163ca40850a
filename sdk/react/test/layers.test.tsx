// @vitest-environment jsdom
import type { Layer, StepResponse } from '@svc/core';
import { providerPayload } from '@svc/react-core';
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LayerRenderer, type LayerRendererProps, MotionProvider } from '../src/index';
import { type Mounted, mountUi } from './support/dom';
import { button, lastScreen, manifest, screen, text } from './support/manifests';

let mounted: Mounted | undefined;
let responses: StepResponse[];

/** Mounts one screen with these layers. */
async function show(layers: Layer[], props: Partial<LayerRendererProps> = {}): Promise<Mounted> {
  responses = [];
  const flow = manifest([screen('scr_a', layers, { next: { default: 'scr_b' } }), lastScreen('scr_b')], {
    locales: ['en', 'de'],
  });
  mounted = await mountUi(
    <MotionProvider reduced>
      <LayerRenderer
        manifest={flow}
        screen={flow.screens[0]!}
        onRespond={(response) => responses.push(response)}
        {...props}
      />
    </MotionProvider>,
  );
  return mounted;
}
const find = (selector: string) => mounted?.box.querySelector<HTMLElement>(selector) as HTMLElement;
const go = button('lyr_go', { kind: 'continue' });

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await mounted?.unmount();
  mounted = undefined;
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function option(id: string, extra: Partial<Extract<Layer, { kind: 'stack' }>> = {}): Extract<Layer, { kind: 'stack' }> {
  return { id: `lyr_${id}`, kind: 'stack', direction: 'horizontal', children: [text(`lyr_${id}_t`, id)], ...extra };
}
const bindings = (...ids: string[]) => ids.map((id) => ({ optionId: id, rootLayerId: `lyr_${id}` }));
const branching = { enabled: false, conditions: [] };

describe('choices', () => {
  const single: Layer = {
    id: 'lyr_c',
    kind: 'single_choice',
    fieldKey: 'pick',
    children: [
      option('a', {
        children: [
          { id: 'lyr_dot_sel', kind: 'icon', family: 'ionicons', iconName: 'checkmark' },
          { id: 'lyr_dot_unsel', kind: 'icon', family: 'ionicons', iconName: 'ellipse' },
        ],
        style: { padding: { t: 1 } },
        selectedStyle: { background: '#00ff00' },
      }),
      option('b'),
    ],
    optionBindings: bindings('b', 'a'),
    branching,
  };

  it('follow the order of the bindings and submit on a tap without Continue', async () => {
    const ui = await show([single]);
    const order = [...ui.box.querySelectorAll<HTMLElement>('[role=radio]')].map((radio) => radio.dataset.option);
    expect(order).toEqual(['b', 'a']);
    await ui.click('[data-option=a]');
    expect(responses).toEqual([{ kind: 'choice', choiceId: 'a' }]);
  });

  it('wait for Continue where there is one, and show what is chosen', async () => {
    const ui = await show([single, go]);
    expect(find('[data-layer=lyr_dot_unsel]')).not.toBeNull();
    await ui.click('[data-option=a]');
    expect(responses).toEqual([]);
    expect(find('[data-option=a]').getAttribute('aria-checked')).toBe('true');
    expect(find('[data-layer=lyr_a]').style.backgroundColor).toBe('rgb(0, 255, 0)');
    expect([find('[data-layer=lyr_dot_sel]') !== null, find('[data-layer=lyr_dot_unsel]')]).toEqual([true, null]);
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toEqual([{ kind: 'choice', choiceId: 'a' }]);
  });

  it('can be walked by arrow keys without submitting on the way', async () => {
    await show([single]);
    find('[data-option=b]').focus();
    const press = (key: string) =>
      act(async () => {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      });
    await press('ArrowDown');
    expect((document.activeElement as HTMLElement).dataset.option).toBe('a');
    expect(responses).toEqual([]);
    await press(' ');
    expect(responses).toEqual([{ kind: 'choice', choiceId: 'a' }]);
  });

  it('of several take no more than allowed', async () => {
    const many: Layer = {
      id: 'lyr_m',
      kind: 'multiple_choice',
      fieldKey: 'many',
      maxSelections: 2,
      children: [option('a'), option('b'), option('c')],
      optionBindings: bindings('a', 'b', 'c'),
      branching,
      direction: 'grid',
      columns: 3,
    };
    const ui = await show([many, go]);
    expect(find('[data-layer=lyr_m]').style.gridTemplateColumns).toBe('repeat(3, minmax(0, 1fr))');
    expect(find('[data-layer=lyr_go]').getAttribute('aria-disabled')).toBe('true');
    for (const id of ['c', 'a', 'b']) await ui.click(`[data-option=${id}]`);
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toEqual([{ kind: 'multiChoice', choiceIds: ['c', 'a'] }]);
  });
});

describe('inputs', () => {
  it('step within their range', async () => {
    const stepper: Layer = {
      id: 'lyr_s',
      kind: 'number_stepper',
      fieldKey: 'count',
      classification: 'safe',
      min: 0,
      max: 1,
      step: 0.5,
      children: [
        { id: 'lyr_down', kind: 'number_stepper_button', role: 'decrement' },
        { id: 'lyr_value', kind: 'number_stepper_value', unitLabel: { default: 'l' } },
        { id: 'lyr_up', kind: 'number_stepper_button', role: 'increment' },
      ],
    };
    const ui = await show([stepper, go]);
    expect(find('[data-layer=lyr_value]').textContent).toBe('0 l');
    await ui.click('[data-layer=lyr_down]');
    for (let i = 0; i < 4; i += 1) await ui.click('[data-layer=lyr_up]');
    expect(find('[data-layer=lyr_value]').textContent).toBe('1 l');
    expect(find('[data-layer=lyr_up]').getAttribute('aria-disabled')).toBe('true');
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toEqual([{ kind: 'number_stepper', value: 1, classification: 'safe' }]);
  });

  it('hold Continue back until a blocking box is ticked, and send the boxes along', async () => {
    const boxes: Layer[] = [
      { id: 'lyr_x', kind: 'checkbox', fieldKey: 'terms', blocking: true },
      { id: 'lyr_y', kind: 'checkbox', fieldKey: 'news' },
    ];
    const ui = await show([...boxes, go, button('lyr_skip', { kind: 'skip' })]);
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toEqual([]);
    await ui.click('[data-layer=lyr_x]');
    expect(find('[data-layer=lyr_x]').getAttribute('aria-checked')).toBe('true');
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toEqual([
      {
        kind: 'screen_commit',
        primary: { kind: 'cta', action: 'primary' },
        checkboxValues: { terms: true, news: false },
      },
    ]);
    await ui.click('[data-layer=lyr_skip]');
    expect(responses[1]).toEqual({ kind: 'skip' });
  });

  it('hide masked text, in a form, and let people see everything else that they type', async () => {
    const field: Layer = { id: 'lyr_t', kind: 'text_input', fieldKey: 'pin', classification: 'sensitive' };
    const attributes = (names: string[]) => names.map((name) => find('input').getAttribute(name));
    let ui = await show([{ ...field, masked: true }, go]);
    expect(attributes(['type', 'autocomplete', 'autocapitalize'])).toEqual(['password', 'off', 'none']);
    await ui.type('input', '1234');
    expect(find('form').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))).toBe(false);
    expect(responses).toEqual([{ kind: 'text', value: '1234', classification: 'sensitive' }]);
    const seen: [Partial<typeof field>, (string | null)[]][] = [
      [{ fieldKey: 'first_name' }, ['text', null, 'given-name']],
      [{ fieldKey: 'last_name' }, ['text', null, 'family-name']],
      [{ fieldKey: 'mail', inputType: 'email' }, ['email', 'email', 'email']],
      [{ fieldKey: 'mobile', inputType: 'phone' }, ['tel', 'tel', 'tel']],
      [{ fieldKey: 'site', inputType: 'url' }, ['url', 'url', 'url']],
      [{ fieldKey: 'age', inputType: 'number' }, ['text', 'numeric', 'on']],
      [{ fieldKey: 'nick' }, ['text', null, 'on']],
    ];
    for (const [extra, wanted] of seen) {
      await ui.unmount();
      ui = await show([{ ...field, ...extra } as Layer, go]);
      expect(attributes(['type', 'inputmode', 'autocomplete'])).toEqual(wanted);
      expect(document.querySelector('form')).toBeNull();
    }
  });

  it('take digits only where numbers are asked, and validate when told', async () => {
    const ui = await show(
      [
        {
          id: 'lyr_t',
          kind: 'text_input',
          fieldKey: 'zip',
          classification: 'safe',
          inputType: 'number',
          minLength: 3,
          validationMode: 'live',
          helperText: { default: 'Three digits', translations: { de: 'Drei Ziffern' } },
        },
        go,
      ],
      { locale: 'de-AT' },
    );
    expect(ui.text()).toContain('Drei Ziffern');
    await ui.type('input', '1a2');
    expect((find('input') as HTMLInputElement).value).toBe('12');
    expect(ui.text()).toContain('at least 3');
    await ui.type('input', '123');
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toEqual([{ kind: 'text', value: '123', classification: 'safe' }]);
  });

  it('format a phone number, take it apart when it is pasted, and let it be erased', async () => {
    vi.useRealTimers();
    const phone: Layer = {
      id: 'lyr_p',
      kind: 'phone_input',
      fieldKey: 'phone',
      classification: 'sensitive',
      allowedCountryCodes: ['US', 'DE'],
    };
    const ui = await show([phone, go]);
    await vi.dynamicImportSettled();
    await ui.pass();
    await ui.type('input[type=tel]', '2015550123');
    const number = () => (find('input[type=tel]') as HTMLInputElement).value;
    expect(number()).toBe('(201) 555-0123');
    for (const typed of ['201', '(201']) await ui.type('input[type=tel]', typed);
    expect(number()).toBe('20');
    await ui.type('input[type=tel]', '+49 30 1234567');
    expect((find('select') as HTMLSelectElement).value).toBe('DE');
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toMatchObject([{ kind: 'phone', value: '+49301234567', countryCode: 'DE' }]);
  });

  it('start with what their author set', async () => {
    const scale: Layer = {
      id: 'lyr_sc',
      kind: 'scale_input',
      fieldKey: 'mood',
      min: 0,
      max: 10,
      step: 2,
      defaultValue: 4,
    };
    const ui = await show([scale, go]);
    expect(ui.text()).toContain('4');
    await ui.type('input[type=range]', '8');
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toEqual([{ kind: 'scale', value: 8 }]);
  });

  it('take dates in their bounds only', async () => {
    const date: Layer = {
      id: 'lyr_d',
      kind: 'date_time_input',
      fieldKey: 'day',
      classification: 'safe',
      min: '2026-01-01',
      max: '2026-12-31',
    };
    const ui = await show([date, go]);
    await ui.type('input', '2027-01-01');
    await ui.click('[data-layer=lyr_go]');
    expect(ui.text()).toContain('2026-12-31 or earlier');
    await ui.type('input', '2026-05-05');
    await ui.click('[data-layer=lyr_go]');
    expect(responses).toEqual([{ kind: 'date_time', value: '2026-05-05', classification: 'safe' }]);
  });
});

describe('players, loaders and counters', () => {
  const id = '11111111-1111-4111-8111-111111111103';
  const mediaMap = { [id]: 'https://media.example/clip.mp4' };
  const film = (extra: Partial<Extract<Layer, { kind: 'video' }>>): Layer => ({
    id: 'lyr_v',
    kind: 'video',
    media: { mediaAssetId: id },
    ...extra,
  });
  let play: ReturnType<typeof vi.spyOn>;
  beforeEach(() => {
    play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue(undefined);
    vi.spyOn(HTMLMediaElement.prototype, 'pause').mockReturnValue(undefined);
  });

  it('play by a button when they do not start by themselves', async () => {
    const ui = await show(
      [film({ autoPlay: false }), button('lyr_play', { kind: 'play_media', targetLayerIds: ['lyr_v', 'lyr_gone'] })],
      { mediaMap },
    );
    expect(play).not.toHaveBeenCalled();
    expect((find('video') as HTMLVideoElement).muted).toBe(true);
    await ui.click('[data-layer=lyr_play]');
    expect(play).toHaveBeenCalledTimes(1);
  });

  it('lead on once when a film that does not loop has ended', async () => {
    const ui = await show([film({ loop: false, onComplete: { mode: 'next' } })], { mediaMap });
    expect(play).toHaveBeenCalled();
    for (let i = 0; i < 2; i += 1) find('video').dispatchEvent(new Event('ended'));
    await ui.pass();
    expect(responses).toEqual([{ kind: 'cta', action: 'primary' }]);
  });

  it('show a placeholder for media that is not there', async () => {
    await show([film({}), { id: 'lyr_i', kind: 'image', alt: 'A fern' }]);
    expect(find('video')).toBeNull();
    expect(find('[data-layer=lyr_i]').getAttribute('aria-label')).toBe('A fern');
    expect(find('[data-layer=lyr_i]').style.backgroundColor).toBe('rgb(244, 244, 245)');
  });

  it('wait for the loader, and not at all beside an input that waits for Continue', async () => {
    const loader: Layer = {
      id: 'lyr_l',
      kind: 'loader',
      fillDelayMs: 100,
      durationMs: 400,
      targetPercent: 80,
      onComplete: { mode: 'next' },
    };
    const ui = await show([loader]);
    await ui.pass(490);
    expect(responses).toEqual([]);
    await ui.pass(20);
    await ui.pass(2_000);
    expect(responses).toEqual([{ kind: 'cta', action: 'primary' }]);
    await ui.unmount();
    const input: Layer = { id: 'lyr_t', kind: 'text_input', fieldKey: 'name', classification: 'safe' };
    await (await show([loader, input, go])).pass(2_000);
    expect(responses).toEqual([]);
  });

  it('tell screen readers the result of a counter at once', async () => {
    await show([{ id: 'lyr_n', kind: 'counter', startValue: 0, endValue: 12.5, decimalPlaces: 2 }]);
    expect(find('[data-layer=lyr_n] .svc-hidden').textContent).toBe('12.5');
  });

  it('count down where motion is reduced, too, and tell screen readers how long there is', async () => {
    const ui = await show([{ id: 'lyr_n', kind: 'counter', startValue: 90, endValue: 0, displayKind: 'time' }]);
    const seen = () => find('[data-layer=lyr_n] [aria-hidden]').textContent;
    expect([seen(), find('[data-layer=lyr_n] .svc-hidden').textContent]).toEqual(['1:30', '1:30']);
    await ui.pass(10_500);
    expect(seen()).toBe('1:19');
  });

  it('know how far the flow is', async () => {
    await show([{ id: 'lyr_pr', kind: 'progress' }]);
    expect(find('[role=progressbar]').getAttribute('aria-valuenow')).toBe('50');
  });
});

describe('buttons', () => {
  it('are disabled without an action or a way back', async () => {
    const back: Layer = { id: 'lyr_bk', kind: 'back_button', variant: 'ghost', children: [text('lyr_bk_t', 'Back')] };
    const layers = [button('lyr_none', { kind: 'none' }), back];
    const ui = await show(layers);
    expect([...ui.box.querySelectorAll('button')].map((element) => element.disabled)).toEqual([true, true]);
    expect(find('[data-layer=lyr_bk]').style.opacity).toBe('0.5');
    await ui.unmount();
    await show([{ ...back, fallbackScreenId: 'scr_b' }]);
    find('[data-layer=lyr_bk]').click();
    expect(responses).toEqual([{ kind: 'go_back', fallbackScreenId: 'scr_b' }]);
  });

  it('ask the browser for notifications, and for nothing else', async () => {
    const ask = (key: 'notifications' | 'camera'): Layer =>
      button(`lyr_${key}`, {
        kind: 'request_os_permission',
        permissionKey: key,
        outcomes: { granted: 'continue', denied: 'continue', blocked: 'end' },
      });
    const requestPermission = vi.fn().mockResolvedValue('granted');
    vi.stubGlobal('Notification', { permission: 'default', requestPermission });
    const ui = await show([ask('notifications'), ask('camera')]);
    for (const key of ['notifications', 'camera']) await ui.click(`[data-layer=lyr_${key}]`);
    await ui.pass();
    vi.stubGlobal('Notification', { permission: 'denied', requestPermission });
    await ui.click('[data-layer=lyr_notifications]');
    await ui.pass();
    vi.unstubAllGlobals();
    expect(responses.map((response) => 'outcome' in response && response.outcome)).toEqual([
      'granted',
      'denied',
      'blocked',
    ]);
    expect(requestPermission).toHaveBeenCalledTimes(1);
  });

  it('carry the draft to the end of the flow', async () => {
    const input: Layer = { id: 'lyr_t', kind: 'text_input', fieldKey: 'name', classification: 'safe' };
    const ui = await show([input, button('lyr_end', { kind: 'end_flow' })]);
    await ui.type('input', ' Ana ');
    await ui.click('[data-layer=lyr_end]');
    expect(responses).toEqual([
      { kind: 'end_flow', consumedDraft: { kind: 'text', value: 'Ana', classification: 'safe' } },
    ]);
  });

  it('page a carousel and complete it when told to', async () => {
    const slides = [option('s1'), option('s2')];
    const next = button('lyr_next', { kind: 'advance_carousel', targetLayerId: 'lyr_car', onLast: 'complete' });
    const ui = await show([{ id: 'lyr_car', kind: 'carousel', slides, pageControl: { position: 'bottom' } }, next]);
    await ui.click('[data-layer=lyr_next]');
    expect(responses).toEqual([]);
    await ui.click('[data-layer=lyr_next]');
    await ui.click('[data-layer=lyr_next]');
    expect(responses).toEqual([{ kind: 'carousel' }]);
  });

  it('advance a carousel by itself, round and round when it loops', async () => {
    const slides = [option('s1'), option('s2')];
    const ui = await show([
      { id: 'lyr_car', kind: 'carousel', slides, autoAdvance: true, autoAdvanceMs: 500, loop: true },
    ]);
    const current = () =>
      [...ui.box.querySelectorAll<HTMLElement>('[aria-roledescription=slide]')].findIndex((slide) => !slide.inert);
    expect(current()).toBe(0);
    await ui.pass(500);
    expect(current()).toBe(1);
    await ui.pass(500);
    expect([current(), responses]).toEqual([0, []]);
  });
});

describe('a renderer', () => {
  it('draws without listening in static mode', async () => {
    const ui = await show([button('lyr_skip', { kind: 'skip' }), option('o')], { mode: 'static' });
    await ui.click('[data-layer=lyr_skip]');
    expect(responses).toEqual([]);
  });

  it('opens only safe links', async () => {
    const link = (href: string): Layer => ({ id: 'lyr_h', kind: 'hyperlink', href, children: [text('lyr_h_t', 'Go')] });
    const opened = vi.fn();
    let ui = await show([link('https://example.com/')], { onExternalLink: opened });
    find('a').addEventListener('click', (event) => event.preventDefault());
    await ui.click('a');
    expect(opened).toHaveBeenCalledWith({ layerId: 'lyr_h', href: 'https://example.com/' });
    expect(find('a').getAttribute('rel')).toBe('noopener noreferrer');
    await ui.unmount();
    ui = await show([link('javascript:alert(1)')], { onExternalLink: opened });
    expect(find('a').hasAttribute('href')).toBe(false);
    await ui.click('a');
    expect(opened).toHaveBeenCalledTimes(1);
  });

  it('fills in templates and follows conditions on stored answers', async () => {
    const conditional: Layer = {
      id: 'lyr_if',
      kind: 'conditional',
      cases: [
        {
          id: 'c1',
          expression: {
            kind: 'predicate',
            variable: { kind: 'field', fieldKey: 'name' },
            predicate: { type: 'string', pred: { op: 'eq', value: 'Ana' } },
          },
          rootLayerId: 'lyr_yes',
        },
      ],
      elseRootLayerId: 'lyr_no',
      children: [option('yes'), option('no')],
    };
    const greeting = text('lyr_g', 'Hi {{ name | default: "you" }}, {{ custom.plan }}');
    const ui = await show([greeting, conditional], {
      interpolationContext: {
        responses: { name: { kind: 'text', value: 'Ana', classification: 'safe' } },
        customProperties: { plan: 'pro' },
      },
    });
    expect(ui.text()).toBe('Hi Ana, pro | yes');
    await ui.unmount();
    expect((await show([greeting, conditional])).text()).toBe('Hi you,  | no');
  });

  it('draws nothing for a kind that it does not know', async () => {
    const ui = await show([{ id: 'lyr_new', kind: 'hologram' } as unknown as Layer, text('lyr_t', 'still here')]);
    expect(ui.text()).toBe('still here');
  });
});

it('describes sign-in rows to hosts', () => {
  const row: Layer = {
    id: 'lyr_r',
    kind: 'oauth_provider',
    variant: 'custom',
    rowId: '22222222-2222-4222-8222-222222222201',
    buttonVariant: 'secondary',
    children: [option('inner', { children: [text('lyr_label', 'Company')] })],
  };
  expect(providerPayload(row as Extract<Layer, { kind: 'oauth_provider' }>)).toEqual({
    type: 'custom',
    rowId: '22222222-2222-4222-8222-222222222201',
    label: { default: 'Company' },
    family: 'ionicons',
    iconName: 'help-circle-outline',
  });
});
