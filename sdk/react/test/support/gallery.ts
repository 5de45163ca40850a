import type { FlowManifest, Layer } from '@svc/core';
import { button, manifest, screen, text } from './manifests';

/** A screen that shows one kind of layer as an author would use it. */
export interface Exhibit {
  manifest: FlowManifest;
  /** Height of the picture in px. */
  height: number;
}

type Kind = Layer['kind'];

const PICTURE_ID = '11111111-1111-4111-8111-111111111101';
const ANIMATION_ID = '11111111-1111-4111-8111-111111111102';
const FILM_ID = '11111111-1111-4111-8111-111111111103';

const PICTURE =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 300 150'><rect width='300' height='150' fill='%232a9d8f'/><circle cx='220' cy='60' r='34' fill='%23e9c46a'/><path d='M0 150 90 60 170 150Z' fill='%23264653'/><path d='M110 150 200 90 300 150Z' fill='%23287271'/></svg>";
const PLATE = {
  v: '5.7.0',
  fr: 30,
  ip: 0,
  op: 6,
  w: 120,
  h: 60,
  layers: [{ ty: 1, nm: 'plate', ind: 1, ip: 0, op: 6, st: 0, sw: 120, sh: 60, sc: '#2a9d8f', ks: {} }],
};

/** Media of the exhibits. There is no film: browsers draw its first frame when they please. */
export const GALLERY_MEDIA: Readonly<Record<string, string>> = {
  [PICTURE_ID]: PICTURE,
  [ANIMATION_ID]: `data:application/json,${encodeURIComponent(JSON.stringify(PLATE))}`,
};

function exhibit(height: number, ...layers: Layer[]): Exhibit {
  const body = { gap: 14, style: { padding: { t: 20, r: 20, b: 20, l: 20 } } };
  return {
    height,
    manifest: manifest([screen('scr_a', layers, { body }), screen('scr_b', [text('lyr_b', 'Next')])], {
      theme: { primary: '#2a9d8f', primaryForeground: '#ffffff', accent: '#e9c46a', fontFamily: 'Inter' },
    }),
  };
}

const title = (words: string): Layer => text('lyr_title', words, { fontSize: 22, fontWeight: 700 });
const note = (id: string, words: string): Layer => text(id, words, { fontSize: 14, lineHeight: 1.4 });
const label = (id: string, words: string): Layer => text(id, words, { fontSize: 13, fontWeight: 600 });
const go = button('lyr_go', { kind: 'continue' }, 'Continue');

const option = (id: string, words: string, sub: string) => ({
  id,
  kind: 'stack' as const,
  direction: 'vertical' as const,
  gap: 2,
  children: [text(`${id}_t`, words, { fontSize: 16, fontWeight: 600 }), note(`${id}_n`, sub)],
});
const OPTIONS = [
  option('lyr_o1', 'A sunny sill', 'Six hours of light or more'),
  option('lyr_o2', 'Half shade', 'Bright, but never in the sun'),
  option('lyr_o3', 'A dark corner', 'We have a fern for that'),
];
const BINDINGS = OPTIONS.map(({ id }, at) => ({ optionId: `o${at + 1}`, rootLayerId: id }));

const stepper: Layer = {
  id: 'lyr_step',
  kind: 'number_stepper',
  fieldKey: 'plants',
  min: 0,
  max: 12,
  step: 1,
  defaultValue: 3,
  classification: 'safe',
  gap: 20,
  distribution: 'center',
  children: [
    {
      id: 'lyr_minus',
      kind: 'number_stepper_button',
      role: 'decrement',
      children: [text('lyr_minus_t', '−', { fontSize: 20, fontWeight: 600 })],
    },
    {
      id: 'lyr_value',
      kind: 'number_stepper_value',
      unitLabel: { default: 'plants' },
      style: { fontSize: 20, fontWeight: 600 },
    },
    {
      id: 'lyr_plus',
      kind: 'number_stepper_button',
      role: 'increment',
      children: [text('lyr_plus_t', '+', { fontSize: 20, fontWeight: 600 })],
    },
  ],
};

const rows: Layer = {
  id: 'lyr_oauth',
  kind: 'oauth_login',
  align: 'stretch',
  gap: 10,
  children: [
    { id: 'lyr_google', kind: 'oauth_provider', variant: 'preset', provider: 'google' },
    { id: 'lyr_apple', kind: 'oauth_provider', variant: 'preset', provider: 'apple' },
    { id: 'lyr_github', kind: 'oauth_provider', variant: 'preset', provider: 'github' },
    {
      id: 'lyr_own',
      kind: 'oauth_provider',
      variant: 'custom',
      rowId: 'garden',
      buttonVariant: 'secondary',
      children: [
        {
          id: 'lyr_own_i',
          kind: 'icon',
          family: 'ionicons',
          iconName: 'leaf-outline',
          style: { width: 18, height: 18 },
        },
        text('lyr_own_t', 'Sign in with Garden', { fontSize: 15, fontWeight: 600 }),
      ],
    },
  ],
};

const form: Layer = {
  id: 'lyr_form',
  kind: 'email_password_auth',
  mode: 'sign_up',
  fieldKey: 'account',
  gap: 10,
  children: [
    { id: 'lyr_mail', kind: 'email_password_field', slot: 'email', children: [label('lyr_mail_l', 'Email')] },
    { id: 'lyr_pass', kind: 'email_password_field', slot: 'password', children: [label('lyr_pass_l', 'Password')] },
    { id: 'lyr_again', kind: 'email_password_field', slot: 'confirm', children: [] },
    {
      id: 'lyr_submit',
      kind: 'email_password_submit',
      buttonVariant: 'primary',
      children: [text('lyr_submit_t', 'Create account', { fontSize: 15, fontWeight: 600 })],
    },
  ],
};

const slide = (id: string, words: string, color: string) => ({
  id,
  kind: 'stack' as const,
  direction: 'vertical' as const,
  align: 'center' as const,
  children: [text(`${id}_t`, words, { fontSize: 20, fontWeight: 600, color: '#14213d' })],
  style: { padding: { t: 36, b: 36 }, radius: 14, width: 'full' as const, background: color },
});

/** Every kind of layer, once. */
export const GALLERY: Readonly<Record<Kind, Exhibit>> = {
  stack: exhibit(190, title('Stack'), {
    id: 'lyr_row',
    kind: 'stack',
    direction: 'horizontal',
    gap: 10,
    align: 'center',
    distribution: 'between',
    style: {
      padding: { t: 14, r: 14, b: 14, l: 14 },
      radius: 14,
      background: '#e9c46a',
      shadow: { offsetX: 0, offsetY: 4, blur: 12, color: '#00000033' },
    },
    children: [
      text('lyr_l', 'Left', { fontSize: 16, color: '#14213d' }),
      text('lyr_m', 'Middle', { fontSize: 16, color: '#14213d' }),
      text('lyr_r', 'Right', { fontSize: 16, color: '#14213d' }),
    ],
  }),
  text: exhibit(
    250,
    title('A plant for every room'),
    text('lyr_lead', 'Tell us where it will stand, and we find one that lives.', { fontSize: 16, lineHeight: 1.4 }),
    text('lyr_mid', 'Centred, spaced and light', {
      fontSize: 14,
      align: 'center',
      letterSpacing: 0.08,
      fontWeight: 400,
    }),
    text('lyr_end', 'Right', { fontSize: 14, align: 'right', color: '#2a9d8f', fontWeight: 600 }),
  ),
  hyperlink: exhibit(150, title('Questions?'), {
    id: 'lyr_link',
    kind: 'hyperlink',
    href: 'https://example.com/help',
    direction: 'horizontal',
    gap: 6,
    children: [
      text('lyr_link_t', 'Read the guide', { fontSize: 16, fontWeight: 600, color: '#2a9d8f' }),
      {
        id: 'lyr_link_i',
        kind: 'icon',
        family: 'ionicons',
        iconName: 'open-outline',
        style: { width: 18, height: 18 },
      },
    ],
  }),
  image: exhibit(300, title('Image'), {
    id: 'lyr_img',
    kind: 'image',
    media: { mediaAssetId: PICTURE_ID },
    alt: 'Hills under a sun',
    style: { width: 'full', height: 190, radius: 16, fit: 'cover' },
  }),
  lottie: exhibit(220, title('Animation'), {
    id: 'lyr_lottie',
    kind: 'lottie',
    media: { mediaAssetId: ANIMATION_ID },
    style: { width: 'full', height: 120, fit: 'contain' },
  }),
  video: exhibit(260, title('Film that is not there'), {
    id: 'lyr_video',
    kind: 'video',
    media: { mediaAssetId: FILM_ID },
    autoPlay: false,
    style: { width: 'full', height: 160, radius: 16 },
  }),
  icon: exhibit(150, title('Icons'), {
    id: 'lyr_icons',
    kind: 'stack',
    direction: 'horizontal',
    gap: 16,
    children: [
      { id: 'lyr_i1', kind: 'icon', family: 'ionicons', iconName: 'flower-outline', style: { width: 36, height: 36 } },
      {
        id: 'lyr_i2',
        kind: 'icon',
        family: 'ionicons',
        iconName: 'heart',
        style: { width: 36, height: 36, color: '#e76f51' },
      },
      {
        id: 'lyr_i3',
        kind: 'icon',
        family: 'ionicons',
        iconName: 'water',
        style: { width: 36, height: 36, color: '#2a9d8f' },
      },
    ],
  }),
  progress: exhibit(140, title('Half way'), { id: 'lyr_progress', kind: 'progress', style: { width: 'full' } }),
  loader: exhibit(
    260,
    title('Loaders at their end'),
    {
      id: 'lyr_linear',
      kind: 'loader',
      variant: 'linear',
      targetPercent: 60,
      durationMs: 1000,
      style: { width: 'full' },
    },
    {
      id: 'lyr_circle',
      kind: 'loader',
      variant: 'circular',
      targetPercent: 75,
      durationMs: 1000,
      align: 'center',
      style: { width: 96, height: 96, strokeWidth: 8 },
    },
  ),
  counter: exhibit(
    180,
    title('Counters'),
    {
      id: 'lyr_count',
      kind: 'counter',
      startValue: 0,
      endValue: 1234.5,
      decimalPlaces: 1,
      durationMs: 500,
      style: { fontSize: 32, fontWeight: 700 },
    },
    {
      id: 'lyr_time',
      kind: 'counter',
      displayKind: 'time',
      startValue: 90,
      endValue: 62,
      durationMs: 500,
      style: { fontSize: 20 },
    },
  ),
  carousel: exhibit(240, title('Carousel'), {
    id: 'lyr_carousel',
    kind: 'carousel',
    pagePeek: 24,
    pageSpacing: 12,
    openOn: 1,
    pageControl: {
      position: 'bottom',
      margin: { t: 12 },
      indicators: { width: 6, height: 6, activeWidth: 18, defaultColor: '#adb5bd', activeColor: '#264653' },
    },
    slides: [slide('lyr_s1', 'One', '#e9c46a'), slide('lyr_s2', 'Two', '#8ecae6'), slide('lyr_s3', 'Three', '#b7e4c7')],
  }),
  conditional: exhibit(150, title('On the web'), {
    id: 'lyr_if',
    kind: 'conditional',
    cases: [
      {
        id: 'web',
        rootLayerId: 'lyr_yes',
        expression: {
          kind: 'predicate',
          variable: { kind: 'builtin', name: 'platform' },
          predicate: { type: 'string', pred: { op: 'eq', value: 'web' } },
        },
      },
    ],
    elseRootLayerId: 'lyr_no',
    children: [
      {
        id: 'lyr_yes',
        kind: 'stack',
        direction: 'vertical',
        children: [note('lyr_yes_t', 'You see the branch for browsers.')],
      },
      { id: 'lyr_no', kind: 'stack', direction: 'vertical', children: [note('lyr_no_t', 'You see the other branch.')] },
    ],
  }),
  button: exhibit(
    330,
    title('Buttons'),
    ...(['primary', 'secondary', 'ghost', 'destructive'] as const).map(
      (variant): Layer => ({
        id: `lyr_${variant}`,
        kind: 'button',
        variant,
        action: { kind: 'skip' },
        children: [
          text(`lyr_${variant}_t`, variant[0]?.toUpperCase() + variant.slice(1), { fontSize: 15, fontWeight: 600 }),
        ],
      }),
    ),
    button('lyr_none', { kind: 'none' }, 'Disabled'),
  ),
  back_button: exhibit(
    150,
    {
      id: 'lyr_back',
      kind: 'back_button',
      variant: 'ghost',
      direction: 'horizontal',
      gap: 4,
      fallbackScreenId: 'scr_b',
      style: { width: 'auto' },
      children: [
        {
          id: 'lyr_back_i',
          kind: 'icon',
          family: 'ionicons',
          iconName: 'chevron-back',
          style: { width: 20, height: 20 },
        },
        text('lyr_back_t', 'Back', { fontSize: 15 }),
      ],
    },
    title('Where were we?'),
  ),
  single_choice: exhibit(
    400,
    title('Where will it stand?'),
    {
      id: 'lyr_choice',
      kind: 'single_choice',
      fieldKey: 'place',
      children: OPTIONS,
      optionBindings: BINDINGS,
      branching: { enabled: false, conditions: [] },
    },
    go,
  ),
  multiple_choice: exhibit(
    400,
    title('Where could it stand?'),
    {
      id: 'lyr_choices',
      kind: 'multiple_choice',
      fieldKey: 'places',
      children: OPTIONS,
      optionBindings: BINDINGS,
      branching: { enabled: false, conditions: [] },
    },
    go,
  ),
  checkbox: exhibit(170, title('Last question'), {
    id: 'lyr_terms',
    kind: 'stack',
    direction: 'horizontal',
    gap: 10,
    align: 'center',
    children: [
      { id: 'lyr_box', kind: 'checkbox', fieldKey: 'terms' },
      note('lyr_box_t', 'Send me a letter when it is time to water'),
    ],
  }),
  text_input: exhibit(
    340,
    {
      id: 'lyr_name',
      kind: 'text_input',
      fieldKey: 'name',
      classification: 'safe',
      placeholder: { default: 'Ana' },
      helperText: { default: 'As it should stand on the pot' },
      minLength: 3,
      children: [label('lyr_name_l', 'What is your name?')],
    },
    go,
  ),
  scale_input: exhibit(220, {
    id: 'lyr_scale',
    kind: 'scale_input',
    fieldKey: 'water',
    min: 0,
    max: 10,
    defaultValue: 6,
    minLabel: { default: 'Never' },
    maxLabel: { default: 'Daily' },
    children: [label('lyr_scale_l', 'How often do you water?')],
  }),
  wheel_picker: exhibit(300, {
    id: 'lyr_wheel',
    kind: 'wheel_picker',
    fieldKey: 'month',
    mode: 'date',
    datePart: 'month',
    defaultValue: '05',
    children: [label('lyr_wheel_l', 'When did you plant it?')],
  }),
  date_time_input: exhibit(
    200,
    {
      id: 'lyr_date',
      kind: 'date_time_input',
      fieldKey: 'visit',
      mode: 'date',
      classification: 'safe',
      defaultValue: '2026-03-04',
      children: [label('lyr_date_l', 'When shall we come?')],
    },
    go,
  ),
  number_stepper: exhibit(170, title('How many?'), stepper),
  number_stepper_button: exhibit(170, title('At its least'), { ...stepper, defaultValue: 0 }),
  number_stepper_value: exhibit(170, title('At its most'), { ...stepper, defaultValue: 12 }),
  phone_input: exhibit(
    210,
    {
      id: 'lyr_phone',
      kind: 'phone_input',
      fieldKey: 'phone',
      classification: 'safe',
      defaultCountryCode: 'DE',
      children: [label('lyr_phone_l', 'Where can we call you?')],
    },
    go,
  ),
  address_input: exhibit(420, {
    id: 'lyr_address',
    kind: 'address_input',
    fieldKey: 'address',
    classification: 'safe',
    children: [label('lyr_address_l', 'Where do you live?')],
  }),
  oauth_login: exhibit(320, title('Sign in'), rows),
  oauth_provider: exhibit(
    180,
    {
      id: 'lyr_single',
      kind: 'oauth_login',
      align: 'stretch',
      children: [
        {
          id: 'lyr_one',
          kind: 'oauth_provider',
          variant: 'preset',
          provider: 'google',
          label: { default: 'Go on with Google' },
          style: { radius: 999 },
        },
      ],
    },
    note('lyr_hint', 'We never post anything.'),
  ),
  email_password_auth: exhibit(360, title('Create an account'), form),
  email_password_field: exhibit(330, form),
  email_password_submit: exhibit(210, {
    id: 'lyr_form',
    kind: 'email_password_auth',
    mode: 'sign_in',
    fieldKey: 'account',
    gap: 10,
    children: [
      { id: 'lyr_mail', kind: 'email_password_field', slot: 'email', children: [] },
      { id: 'lyr_pass', kind: 'email_password_field', slot: 'password', children: [] },
      {
        id: 'lyr_submit',
        kind: 'email_password_submit',
        buttonVariant: 'secondary',
        children: [text('lyr_submit_t', 'Sign in', { fontSize: 15, fontWeight: 600 })],
      },
    ],
  }),
};
