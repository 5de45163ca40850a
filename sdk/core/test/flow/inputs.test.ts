import { describe, expect, it } from 'vitest';
import { compareDateTime, isDateTimeValue } from '../../src/flow/date-time';
import {
  appReviewResponse,
  canContinue,
  choiceTapResponse,
  continueResponse,
  draftResponse,
  endFlowResponse,
  initialInputDraft,
  toggleChoice,
} from '../../src/flow/draft';
import { activeScreenLayers } from '../../src/flow/layers';
import { isOnStep, snapToStep, stepBy } from '../../src/flow/numeric';
import { allowedPhoneCountries, defaultPhoneCountry, PHONE_COUNTRIES, toE164 } from '../../src/flow/phone';
import {
  draftProblem,
  emailPasswordProblem,
  isUrlWithHost,
  passwordRulesDescriptor,
  textProblem,
} from '../../src/flow/validation';
import { wheelOptionIds } from '../../src/flow/wheel';
import type { InputLayer, InputResponse, Layer } from '../../src/index';
import { button, checkbox, screen, textInput } from '../support/builders';

const YEAR = 2026;
const base = { id: 'lyr_x', fieldKey: 'x', classification: 'safe' as const };
const asText = (layer: Layer) => layer as Extract<Layer, { kind: 'text_input' }>;
const layersOf = (...layers: Layer[]) =>
  activeScreenLayers(screen('scr_a', layers), { locale: 'en', platform: 'web', sdkAttributes: {}, responses: {} });
const options = ['a', 'b', 'c'];
const multi = (extra = {}): Extract<Layer, { kind: 'multiple_choice' }> => ({
  id: 'lyr_m',
  kind: 'multiple_choice',
  fieldKey: 'm',
  children: options.map((id) => ({ id: `lyr_${id}`, kind: 'stack', direction: 'vertical', children: [] })),
  optionBindings: options.map((id) => ({ optionId: id, rootLayerId: `lyr_${id}` })),
  branching: { enabled: false, conditions: [] },
  ...extra,
});

describe('text', () => {
  it.each<[Partial<Extract<Layer, { kind: 'text_input' }>>, string, string | null]>([
    [{}, '  ', 'required'],
    [{ required: false }, '  ', null],
    [{ minLength: 3 }, ' ab ', 'too_short'],
    [{ maxLength: 3 }, 'abcd', 'too_long'],
    [{ maxLength: 1 }, '😀', 'too_long'],
    [{ inputType: 'email' }, 'a@b.c', null],
    [{ inputType: 'email' }, 'a@b', 'email'],
    [{ inputType: 'phone' }, '+1 (555) 010-99.9', null],
    [{ inputType: 'phone' }, '12', 'phone'],
    [{ inputType: 'url' }, 'example.com/x', null],
    [{ inputType: 'url' }, 'https://', 'url'],
    [{ inputType: 'url' }, 'has space.com', 'url'],
    [{ inputType: 'number' }, '12', null],
    [{ inputType: 'number' }, '-1', 'number'],
  ])('%j %j → %s', (extra, value, code) => {
    expect(textProblem(asText(textInput('t', extra)), value)?.code ?? null).toBe(code);
  });

  it.each([
    ['localhost:3000', true],
    ['http://user@host:80/p?q#h', true],
    ['http://[::1]/', true],
    ['mailto:a@b.c', false],
    ['://x', false],
    ['http:///path', false],
  ])('url %s → %s', (url, expected) => {
    expect(isUrlWithHost(url)).toBe(expected);
  });

  it('is sent trimmed unless it has several lines', () => {
    const draft: InputResponse = { kind: 'text', value: ' a ', classification: 'safe' };
    expect(draftResponse(asText(textInput('t')), draft)).toMatchObject({ value: 'a' });
    expect(draftResponse(asText(textInput('t', { inputType: 'multiline' })), draft)).toMatchObject({ value: ' a ' });
  });
});

describe('date and time', () => {
  it.each([
    ['2024-02-29', 'date', true],
    ['2023-02-29', 'date', false],
    ['2100-02-29', 'date', false],
    ['2023-13-01', 'date', false],
    ['23:59', 'time', true],
    ['24:00', 'time', false],
    ['23:59:60', 'time', false],
    ['2024-01-01T10:00', 'datetime', true],
    ['2024-01-01T10:00T', 'datetime', false],
    ['2024-01-01', 'datetime', false],
  ] as const)('%s as %s is %s', (value, mode, expected) => {
    expect(isDateTimeValue(value, mode)).toBe(expected);
  });

  it('compares values with and without seconds', () => {
    expect(compareDateTime('10:00', '10:00:00')).toBe(0);
    expect(compareDateTime('2024-01-01T10:00', '2024-01-01T09:59:59')).toBe(1);
  });

  it('keeps the bounds of the layer', () => {
    const layer: InputLayer = { ...base, kind: 'date_time_input', mode: 'time', min: '06:00', max: '22:00' };
    const problem = (value: string) =>
      draftProblem(layer, { kind: 'date_time', value, classification: 'safe' }, YEAR)?.code;
    expect([problem('05:59'), problem('06:00'), problem('22:00:01'), problem('x'), problem('')]).toEqual([
      'too_early',
      undefined,
      'too_late',
      'date_time',
      'required',
    ]);
  });
});

describe('phone', () => {
  it('knows 53 countries in order and falls back to the first allowed one', () => {
    expect(PHONE_COUNTRIES).toHaveLength(53);
    expect(PHONE_COUNTRIES[5]).toEqual({ code: 'IE', dial: '353' });
    expect(allowedPhoneCountries(['ch', 'DE']).map((country) => country.code)).toEqual(['DE', 'CH']);
    expect(defaultPhoneCountry({ allowedCountryCodes: ['FR', 'DE'] }).code).toBe('DE');
    expect(defaultPhoneCountry({ defaultCountryCode: 'fr' }).code).toBe('FR');
  });

  it.each([
    ['DE', '0151 123-45678', '+4915112345678'],
    ['US', '0000', '+10000'],
    ['US', '123', ''],
    ['US', '123456789012345', ''],
    ['US', '0123456789012345', '+112345678901234'],
  ])('%s %s → %s', (code, number, expected) => {
    const country = PHONE_COUNTRIES.find((candidate) => candidate.code === code)!;
    expect(toE164(country, number)).toBe(expected);
  });

  it('computes the E.164 form on sending and refuses a country that is not allowed', () => {
    const layer: InputLayer = { ...base, kind: 'phone_input', allowedCountryCodes: ['DE'] };
    const draft = {
      kind: 'phone' as const,
      value: '',
      countryCode: 'DE',
      nationalNumber: '015112345',
      classification: 'safe' as const,
    };
    expect(draftProblem(layer, draft, YEAR)).toBeNull();
    expect(draftResponse(layer, draft)).toMatchObject({ value: '+4915112345' });
    expect(draftProblem(layer, { ...draft, countryCode: 'US' }, YEAR)?.code).toBe('country');
    expect(draftProblem({ ...layer, required: false }, { ...draft, nationalNumber: '' }, YEAR)).toBeNull();
    expect(draftResponse({ ...layer, required: false }, { ...draft, nationalNumber: '' })).toMatchObject({ value: '' });
  });
});

describe('numbers', () => {
  it('snaps without binary noise and stays in range', () => {
    expect(snapToStep(0.3, { min: 0, max: 1, step: 0.1 })).toBe(0.3);
    expect(snapToStep(99, { min: 1, max: 10, step: 4 })).toBe(9);
    expect(snapToStep(-5, { min: 1, max: 10 })).toBe(1);
    expect(stepBy(0.2, 1, { min: 0, max: 1, step: 0.1 })).toBe(0.3);
    expect(stepBy(10, 1, { min: 0, max: 10 })).toBe(10);
  });

  it('accepts values on step within tolerance', () => {
    expect(isOnStep(0.30000000000000004, { min: 0, max: 1, step: 0.1 })).toBe(true);
    expect(isOnStep(0.35, { min: 0, max: 1, step: 0.1 })).toBe(false);
    expect(isOnStep(11, { min: 0, max: 10 })).toBe(false);
    expect(isOnStep(Number.NaN, { min: 0, max: 10 })).toBe(false);
  });
});

describe('address', () => {
  const layer: InputLayer = {
    ...base,
    kind: 'address_input',
    showLine2: false,
    requiredFields: ['line1', 'line2', 'city'],
  };
  const draft = (value: object) =>
    ({
      kind: 'address',
      value: { line1: '', city: '', postalCode: '', country: '', ...value },
      classification: 'safe',
    }) as const;

  it('asks only for fields that show', () => {
    expect(draftProblem(layer, draft({ line1: 'x' }), YEAR)).toEqual({ code: 'required', field: 'city' });
    expect(draftProblem(layer, draft({ line1: 'x', city: 'y' }), YEAR)).toBeNull();
    expect(draftProblem(layer, draft({ line1: 'x', city: 'y', country: 'Germany' }), YEAR)?.code).toBe('country');
  });

  it('is sent trimmed, without empty optional lines, country upper-case', () => {
    const sent = draftResponse(
      layer,
      draft({ line1: ' a ', line2: '  ', region: ' r ', city: 'c', postalCode: '1', country: 'de' }),
    );
    expect(sent).toMatchObject({ value: { line1: 'a', region: 'r', city: 'c', postalCode: '1', country: 'DE' } });
    expect(JSON.stringify(sent)).not.toContain('line2');
  });
});

describe('choices and wheels', () => {
  it('toggles up to the maximum, an empty selection is no draft', () => {
    const layer = multi({ maxSelections: 2 });
    const one = toggleChoice(layer, null, 'b');
    const two = toggleChoice(layer, one, 'a');
    expect(two).toEqual({ kind: 'multiChoice', choiceIds: ['b', 'a'] });
    expect(toggleChoice(layer, two, 'c')).toBe(two);
    expect(toggleChoice(layer, one, 'b')).toBeNull();
    expect(draftProblem(layer, null, YEAR)).toEqual({ code: 'too_few', limit: 1 });
  });

  it('sends an empty list where none needs to be selected', () => {
    const layers = layersOf(multi({ minSelections: 0 }), button('lyr_go', { kind: 'continue' }));
    expect(canContinue(layers, { input: null, checkboxes: {} }, YEAR)).toBe(true);
    expect(continueResponse(layers, { input: null, checkboxes: {} })).toEqual({ kind: 'multiChoice', choiceIds: [] });
  });

  it('starts a single choice on its default, and ready to go on; on none without one it knows', () => {
    const single = (extra: object) => ({ ...multi(), kind: 'single_choice', ...extra }) as InputLayer;
    const draft = initialInputDraft(single({ defaultOptionId: 'b' }), YEAR);
    expect(draft).toEqual({ kind: 'choice', choiceId: 'b' });
    const layers = layersOf(single({ defaultOptionId: 'b' }), button('lyr_go', { kind: 'continue' }));
    expect(canContinue(layers, { input: draft, checkboxes: {} }, YEAR)).toBe(true);
    expect(initialInputDraft(single({}), YEAR)).toBeNull();
    expect(initialInputDraft(single({ defaultOptionId: 'z' }), YEAR)).toBeNull();
  });

  it('starts wheels on the default, else in the middle', () => {
    const wheel = (extra: object): InputLayer => ({ id: 'w', kind: 'wheel_picker', fieldKey: 'w', ...extra });
    const options = ['a', 'b', 'c', 'd'].map((optionId) => ({ optionId, label: { default: optionId } }));
    expect(initialInputDraft(wheel({ options }), YEAR)).toEqual({ kind: 'wheel', value: 'c' });
    expect(initialInputDraft(wheel({ options, defaultOptionId: 'a' }), YEAR)).toEqual({ kind: 'wheel', value: 'a' });
    expect(initialInputDraft(wheel({ mode: 'date', defaultValue: '2015' }), YEAR)).toEqual({
      kind: 'wheel',
      value: '2015',
    });
    expect(initialInputDraft(wheel({ options: [] }), YEAR)).toBeNull();
    const month = wheel({ mode: 'date', datePart: 'month' }) as Extract<Layer, { kind: 'wheel_picker' }>;
    expect(wheelOptionIds(month, YEAR)).toHaveLength(12);
    expect(wheelOptionIds({ ...month, datePart: 'year' }, YEAR).slice(-1)[0]).toBe('2036');
    expect(wheelOptionIds({ ...month, datePart: 'day' }, YEAR)[6]).toBe('07');
  });
});

describe('Continue and its neighbours', () => {
  const go = button('lyr_go', { kind: 'continue' });
  const empty = { input: null, checkboxes: {} };

  it('is disabled by an open blocking checkbox and sends all checkboxes', () => {
    const layers = layersOf(checkbox('terms', true), checkbox('news'), go);
    expect(canContinue(layers, empty, YEAR)).toBe(false);
    const ticked = { input: null, checkboxes: { terms: true } };
    expect(canContinue(layers, ticked, YEAR)).toBe(true);
    expect(continueResponse(layers, ticked)).toEqual({
      kind: 'screen_commit',
      primary: { kind: 'cta', action: 'primary' },
      checkboxValues: { terms: true, news: false },
    });
  });

  it('sends nothing for a required input without draft and an empty text for an optional one', () => {
    expect(continueResponse(layersOf(textInput('t'), go), empty)).toBeNull();
    expect(continueResponse(layersOf(textInput('t', { required: false }), go), empty)).toEqual({
      kind: 'text',
      value: '',
      classification: 'safe',
    });
  });

  it('lets a single choice submit on tap, checkboxes included', () => {
    expect(choiceTapResponse(layersOf(checkbox('c')), empty, 'a')).toMatchObject({
      kind: 'screen_commit',
      primary: { kind: 'choice', choiceId: 'a' },
    });
  });

  it('takes the draft along on end flow and app review', () => {
    const draft = { input: { kind: 'text' as const, value: ' v ', classification: 'safe' as const }, checkboxes: {} };
    const layers = layersOf(textInput('t'));
    expect(endFlowResponse(layers, draft)).toMatchObject({ kind: 'end_flow', consumedDraft: { value: 'v' } });
    expect(appReviewResponse(layers, draft, 'lyr_r', 'dismissed')).toMatchObject({
      kind: 'screen_commit',
      primary: { kind: 'app_review_outcome' },
      capturedDraft: { value: 'v' },
    });
    expect(appReviewResponse(layersOf(), empty, 'lyr_r', 'not_shown')).toEqual({
      kind: 'app_review_outcome',
      layerId: 'lyr_r',
      outcome: 'not_shown',
    });
  });
});

describe('e-mail and password', () => {
  const rules = { minLength: 4, maxLength: 6, requireUppercase: true, requireDigit: true, requireSpecial: true };
  const signUp = { mode: 'sign_up' as const, passwordRules: rules };
  it.each([
    ['', 'x', 'x', 'email/required'],
    ['a@b', 'x', 'x', 'email/email'],
    ['a@b.c', '', '', 'password/required'],
    ['a@b.c', 'A1!', 'A1!', 'password/password_short'],
    ['a@b.c', 'A1!aaaa', '', 'password/password_long'],
    ['a@b.c', 'a1!a', '', 'password/password_uppercase'],
    ['a@b.c', 'Aa!a', '', 'password/password_digit'],
    ['a@b.c', 'Aa1a', '', 'password/password_special'],
    ['a@b.c', 'Aa1!', '', 'confirm/required'],
    ['a@b.c', 'Aa1!', 'Aa1?', 'confirm/password_mismatch'],
    [' a@b.c ', 'Aa1!', 'Aa1!', 'ok'],
  ])('%s %s %s → %s', (email, password, confirmPassword, expected) => {
    const found = emailPasswordProblem(signUp, { email, password, confirmPassword });
    expect(found ? `${found.slot}/${found.problem.code}` : 'ok').toBe(expected);
  });

  it('asks a returning visitor only for a password, whatever the rules became', () => {
    expect(emailPasswordProblem({ ...signUp, mode: 'sign_in' }, { email: 'a@b.c', password: 'x' })).toBeNull();
    expect(passwordRulesDescriptor(signUp)).toBe(
      'minlength: 4; maxlength: 6; required: upper; required: digit; required: special;',
    );
  });
});
