import type { NewId } from '../editor';
import type { Json, JsonObject } from '../operation';

export type Make = { newId: NewId; key(wanted: string): string };

const words = (text: string) => ({ default: text });
const full = { width: 'full', height: 'auto' };

function layer({ newId }: Make, kind: string, properties: JsonObject = {}): JsonObject {
  return { id: newId('lyr'), kind, ...properties };
}

function text(make: Make, words_: string, style: JsonObject = {}): JsonObject {
  return layer(make, 'text', { text: words(words_), style: { ...full, ...style } });
}

function stack(make: Make, children: Json[], style: JsonObject = full, direction = 'vertical'): JsonObject {
  return layer(make, 'stack', { direction, gap: 8, children, style });
}

function button(make: Make, kind: string, label: string, properties: JsonObject): JsonObject {
  return layer(make, kind, { ...properties, children: [text(make, label, { align: 'center' })] });
}

function question(make: Make, kind: string, key: string, properties: JsonObject = {}): JsonObject {
  return layer(make, kind, { fieldKey: make.key(key), style: full, ...properties });
}

/** The stack that shows an option. */
export function optionFace(make: Make, label: string): JsonObject {
  const padding = { t: 12, r: 12, b: 12, l: 12 };
  return stack(make, [text(make, label)], { ...full, padding, radius: 10, border: { width: 1, color: '#adb5bd' } });
}

function choice(make: Make, kind: string): JsonObject {
  const faces = ['Option 1', 'Option 2'].map((label) => optionFace(make, label));
  return question(make, kind, 'choice', {
    gap: 8,
    branching: { enabled: false, conditions: [] },
    optionBindings: faces.map((face, i) => ({ optionId: `option_${i + 1}`, rootLayerId: face.id! })),
    children: faces,
  });
}

function conditional(make: Make): JsonObject {
  const [shown, otherwise] = [stack(make, [text(make, 'Shown when the condition holds')]), stack(make, [])];
  return layer(make, 'conditional', {
    cases: [{ id: make.newId('case'), expression: { kind: 'empty' }, rootLayerId: shown.id! }],
    elseRootLayerId: otherwise.id!,
    children: [shown, otherwise],
  });
}

function stepper(make: Make): JsonObject {
  const step = (role: string, sign: string) => button(make, 'number_stepper_button', sign, { role });
  const parts = [step('decrement', '−'), layer(make, 'number_stepper_value'), step('increment', '+')];
  const range = { min: 0, max: 10, step: 1, defaultValue: 1, classification: 'safe' };
  return layer(make, 'number_stepper', { fieldKey: make.key('amount'), ...range, children: parts });
}

function emailSignIn(make: Make): JsonObject {
  const field = (slot: string, label: string) =>
    layer(make, 'email_password_field', { slot, placeholder: words(label), children: [text(make, label)] });
  return layer(make, 'email_password_auth', {
    mode: 'sign_in',
    fieldKey: make.key('account'),
    gap: 10,
    children: [
      field('email', 'Email'),
      field('password', 'Password'),
      button(make, 'email_password_submit', 'Sign in', { buttonVariant: 'primary' }),
    ],
  });
}

const link = 'https://example.com';
const preset = (make: Make, provider: string) => layer(make, 'oauth_provider', { variant: 'preset', provider });

/** What a new layer of each kind is like: it is valid, and shows what it is for. */
const defaults: Record<string, (make: Make) => JsonObject> = {
  address_input: (make) => question(make, 'address_input', 'address', { classification: 'sensitive' }),
  back_button: (make) => button(make, 'back_button', 'Back', { variant: 'ghost' }),
  button: (make) => button(make, 'button', 'Continue', { variant: 'primary', action: { kind: 'continue' } }),
  carousel: (make) =>
    layer(make, 'carousel', {
      slides: ['Slide 1', 'Slide 2'].map((one) => stack(make, [text(make, one)])),
      style: full,
    }),
  checkbox: (make) => layer(make, 'checkbox', { fieldKey: make.key('agreed') }),
  conditional,
  counter: (make) => layer(make, 'counter', { startValue: 0, endValue: 100 }),
  date_time_input: (make) => question(make, 'date_time_input', 'date', { mode: 'date', classification: 'sensitive' }),
  email_password_auth: emailSignIn,
  email_password_field: (make) => layer(make, 'email_password_field', { slot: 'email', placeholder: words('Email') }),
  email_password_submit: (make) => button(make, 'email_password_submit', 'Sign in', { buttonVariant: 'primary' }),
  hyperlink: (make) => button(make, 'hyperlink', 'Learn more', { href: link }),
  icon: (make) =>
    layer(make, 'icon', { family: 'ionicons', iconName: 'star-outline', style: { width: 24, height: 24 } }),
  image: (make) => layer(make, 'image', { style: { width: 'full', height: 180, fit: 'contain' } }),
  loader: (make) => layer(make, 'loader', { durationMs: 3000, onComplete: { mode: 'next' } }),
  lottie: (make) => layer(make, 'lottie', { style: { width: 'full', height: 180, fit: 'contain' } }),
  multiple_choice: (make) => choice(make, 'multiple_choice'),
  number_stepper: stepper,
  number_stepper_button: (make) => button(make, 'number_stepper_button', '+', { role: 'increment' }),
  number_stepper_value: (make) => layer(make, 'number_stepper_value'),
  oauth_login: (make) =>
    layer(make, 'oauth_login', { gap: 10, children: [preset(make, 'apple'), preset(make, 'google')] }),
  oauth_provider: (make) => preset(make, 'github'),
  phone_input: (make) => question(make, 'phone_input', 'phone', { classification: 'sensitive' }),
  progress: (make) => layer(make, 'progress', { style: { width: 'full', height: 6 } }),
  scale_input: (make) => question(make, 'scale_input', 'scale', { min: 1, max: 10, step: 1 }),
  single_choice: (make) => choice(make, 'single_choice'),
  stack: (make) => stack(make, []),
  text: (make) => text(make, 'Text'),
  text_input: (make) =>
    question(make, 'text_input', 'answer', { classification: 'sensitive', placeholder: words('Your answer') }),
  video: (make) => layer(make, 'video', { style: { width: 'full', height: 180, fit: 'cover' } }),
  wheel_picker: (make) =>
    question(make, 'wheel_picker', 'wheel', {
      options: [1, 2, 3].map((n) => ({ optionId: `option_${n}`, label: words(`Option ${n}`) })),
    }),
};

/** The kinds of layer that can be made. */
export const kindsToInsert: readonly string[] = Object.keys(defaults);

/** Makes a layer of a kind; `key` finds a field key that is free. */
export function newLayer(kind: string, newId: NewId, key: (wanted: string) => string): JsonObject {
  return defaults[kind]!({ newId, key });
}
