import type { EmailPasswordAuthLayer, Layer, LocalizedText, StackLayer } from '@svc/core';
import type { Picture } from './gallery';

// One picture a kind of input, each with what an author is likely to set.

const INK = { light: '#0f172a', dark: '#f8fafc' };
const CARD = { light: '#f1f5f9', dark: '#1e293b' };
const TEAL = '#0d9488';

const words = (english: string, ar?: string): LocalizedText => ({
  default: english,
  ...(ar ? { translations: { ar } } : {}),
});

function text(id: string, copy: LocalizedText, style: Extract<Layer, { kind: 'text' }>['style'] = {}): Layer {
  return { id, kind: 'text', text: copy, style: { color: INK, ...style } };
}

const label = (id: string, copy: LocalizedText): Layer => text(id, copy, { fontSize: 13, fontWeight: 600 });

const GO: Layer = {
  id: 'lyr_go',
  kind: 'button',
  variant: 'primary',
  action: { kind: 'continue' },
  children: [text('lyr_go_t', words('Continue', 'متابعة'), { color: '#ffffff', fontWeight: 600 })],
  style: { width: 'full', background: TEAL },
};

function plain(id: string, copy: LocalizedText): StackLayer {
  return { id: `lyr_${id}`, kind: 'stack', direction: 'horizontal', children: [text(`lyr_${id}_t`, copy)] };
}

/** A tile with an icon, as authors dress options. */
function tile(id: string, iconName: string, copy: LocalizedText): StackLayer {
  return {
    id: `lyr_${id}`,
    kind: 'stack',
    direction: 'vertical',
    align: 'center',
    gap: 8,
    style: { background: CARD, radius: 16, padding: { t: 20, b: 16, l: 12, r: 12 }, border: { width: 2, color: CARD } },
    selectedStyle: { border: { width: 2, color: TEAL } },
    children: [
      { id: `lyr_${id}_i`, kind: 'icon', family: 'ionicons', iconName, style: { width: 32, height: 32, color: TEAL } },
      text(`lyr_${id}_t`, copy, { fontSize: 15, fontWeight: 600, align: 'center' }),
    ],
  };
}

const PICTURE = '11111111-1111-4111-8111-111111111101';

/** A card with a picture, and a mark that shows whether it is chosen. */
function card(id: string, copy: LocalizedText): StackLayer {
  const mark = (chosen: boolean): Layer => ({
    id: `lyr_${id}_${chosen ? 'sel' : 'unsel'}`,
    kind: 'icon',
    family: 'ionicons',
    iconName: chosen ? 'checkmark-circle' : 'ellipse-outline',
    style: { width: 24, height: 24, color: chosen ? TEAL : '#94a3b8' },
  });
  return {
    id: `lyr_${id}`,
    kind: 'stack',
    direction: 'horizontal',
    align: 'center',
    gap: 12,
    style: { background: CARD, radius: 14, padding: { t: 10, b: 10, l: 10, r: 14 } },
    selectedStyle: { background: { light: '#ccfbf1', dark: '#134e4a' } },
    children: [
      {
        id: `lyr_${id}_p`,
        kind: 'image',
        media: { mediaAssetId: PICTURE },
        alt: '',
        style: { width: 56, height: 56, radius: 10 },
      },
      text(`lyr_${id}_t`, copy, { width: 'full', fontWeight: 600 }),
      mark(true),
      mark(false),
    ],
  };
}

const bindings = (...ids: string[]) => ids.map((id) => ({ optionId: id, rootLayerId: `lyr_${id}` }));
const branching = { enabled: false, conditions: [] };

function form(mode: 'sign_in' | 'sign_up', slots: ('email' | 'password' | 'confirm')[]): EmailPasswordAuthLayer {
  return {
    id: 'lyr_form',
    kind: 'email_password_auth',
    mode,
    fieldKey: 'account',
    gap: 12,
    children: [
      ...slots.map((slot) => ({ id: `lyr_${slot}`, kind: 'email_password_field' as const, slot })),
      {
        id: 'lyr_submit',
        kind: 'email_password_submit',
        buttonVariant: 'primary',
        children: [
          text('lyr_submit_t', words(mode === 'sign_in' ? 'Sign in' : 'Create account'), {
            color: { light: '#fafafa', dark: '#0a0a0a' },
            fontWeight: 600,
          }),
        ],
      },
    ],
  };
}

/** Every kind of layer that takes an answer. */
export const INPUTS: Readonly<Record<string, Picture>> = {
  single_choice: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_choice',
        kind: 'single_choice',
        fieldKey: 'goal',
        children: [
          plain('a', words('Keep them alive', 'أن تبقى حية')),
          plain('b', words('Grow my own food', 'أن أزرع طعامي')),
          plain('c', words('Rescue a plant that has been unwell for a while', 'إنقاذ نبتة مريضة')),
        ],
        optionBindings: bindings('a', 'b', 'c'),
        branching,
      },
      GO,
    ],
    tap: ['option-b'],
  },
  'single_choice-row': {
    layers: [
      {
        id: 'lyr_choice',
        kind: 'single_choice',
        fieldKey: 'size',
        direction: 'horizontal',
        children: ['1', '2', '3', '4', '5'].map((size) => plain(size, words(size))),
        optionBindings: bindings('1', '2', '3', '4', '5'),
        branching,
      },
      GO,
    ],
    tap: ['option-4'],
  },
  multiple_choice: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_choice',
        kind: 'multiple_choice',
        fieldKey: 'needs',
        direction: 'grid',
        columns: 2,
        gap: 12,
        children: [
          tile('water', 'water', words('Water', 'ماء')),
          tile('light', 'sunny', words('Light', 'ضوء')),
          tile('soil', 'earth', words('Soil and a longer name', 'تربة')),
        ],
        optionBindings: bindings('water', 'light', 'soil'),
        branching,
      },
      GO,
    ],
    tap: ['option-light'],
  },
  'multiple_choice-pictures': {
    layers: [
      {
        id: 'lyr_choice',
        kind: 'multiple_choice',
        fieldKey: 'plants',
        children: [card('fern', words('Fern')), card('yucca', words('Yucca')), card('pothos', words('Pothos'))],
        optionBindings: bindings('fern', 'yucca', 'pothos'),
        branching,
      },
      GO,
    ],
    tap: ['option-yucca', 'option-pothos'],
  },
  checkbox: {
    dark: true,
    layers: ['terms', 'news', 'styled'].map((key) => ({
      id: `lyr_${key}_row`,
      kind: 'stack' as const,
      direction: 'horizontal' as const,
      align: 'center' as const,
      children: [
        {
          id: `lyr_${key}`,
          kind: 'checkbox' as const,
          fieldKey: key,
          ...(key === 'styled'
            ? { uncheckedStyle: { size: 28, radius: 14 }, checkedStyle: { background: TEAL, border: { color: TEAL } } }
            : {}),
        },
        text(`lyr_${key}_t`, words(`I agree to the ${key}`), { width: 'full' }),
      ],
    })),
    tap: ['lyr_news', 'lyr_styled'],
  },
  text_input: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_name',
        kind: 'text_input',
        fieldKey: 'name',
        classification: 'safe',
        placeholder: words('Your first name', 'اسمك الأول'),
        helperText: words('As your friends say it.', 'كما يناديك أصدقاؤك.'),
        children: [label('lyr_name_l', words('First name', 'الاسم الأول'))],
      },
      GO,
    ],
  },
  'text_input-problem': {
    dark: true,
    layers: [
      {
        id: 'lyr_mail',
        kind: 'text_input',
        fieldKey: 'mail',
        classification: 'safe',
        inputType: 'email',
        validationMode: 'live',
        children: [label('lyr_mail_l', words('Email'))],
      },
      GO,
    ],
    type: { lyr_mail: 'ana@' },
  },
  'text_input-multiline': {
    layers: [
      {
        id: 'lyr_note',
        kind: 'text_input',
        fieldKey: 'note',
        classification: 'safe',
        inputType: 'multiline',
        placeholder: words('What did you notice?'),
        fieldStyle: { fontSize: 16, lineHeight: 1.5 },
        style: {
          background: '$brandGradient:33333333-3333-4333-8333-333333333301',
          backgroundOpacity: 0.15,
          radius: 20,
          border: { width: 2, color: TEAL },
          padding: { t: 14, b: 14, l: 18, r: 18 },
        },
      },
      GO,
    ],
  },
  scale_input: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_scale',
        kind: 'scale_input',
        fieldKey: 'mood',
        min: 0,
        max: 10,
        defaultValue: 7,
        minLabel: words('Never', 'أبدا'),
        maxLabel: words('Every day', 'كل يوم'),
      },
      GO,
    ],
  },
  'scale_input-styled': {
    layers: [
      {
        id: 'lyr_scale',
        kind: 'scale_input',
        fieldKey: 'litres',
        min: 0,
        max: 1,
        step: 0.25,
        defaultValue: 0.25,
        trackHeight: 14,
        thumbSize: 32,
        trackColor: '#fde68a',
        fillColor: '#f59e0b',
        thumbColor: '#b45309',
        valueStyle: { fontSize: 40, fontWeight: 800, color: '#b45309' },
        showLabels: false,
      },
    ],
  },
  wheel_picker: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_wheel',
        kind: 'wheel_picker',
        fieldKey: 'month',
        mode: 'date',
        datePart: 'month',
        defaultValue: '05',
      },
      GO,
    ],
  },
  'wheel_picker-styled': {
    layers: [
      {
        id: 'lyr_wheel',
        kind: 'wheel_picker',
        fieldKey: 'size',
        itemHeight: 56,
        visibleItemCount: 3,
        options: ['Small', 'Medium', 'Large'].map((size) => ({ optionId: size, label: words(size) })),
        selectionBackgroundColor: '#ccfbf1',
        itemStyle: { fontSize: 20, opacity: 0.5 },
        selectedItemStyle: { fontSize: 26, fontWeight: 700, color: TEAL },
      },
    ],
  },
  date_time_input: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_date',
        kind: 'date_time_input',
        fieldKey: 'day',
        classification: 'safe',
        mode: 'datetime',
        defaultValue: '2026-05-17T09:30',
        placeholder: words('Date and time', 'التاريخ والوقت'),
        children: [label('lyr_date_l', words('First watering', 'أول سقي'))],
      },
      GO,
    ],
  },
  'date_time_input-open': {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_date',
        kind: 'date_time_input',
        fieldKey: 'day',
        classification: 'safe',
        required: false,
        defaultValue: '2026-05-17',
        placeholder: words('First watering', 'أول سقي'),
      },
      GO,
    ],
    open: 'lyr_date',
  },
  number_stepper: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_stepper',
        kind: 'number_stepper',
        fieldKey: 'litres',
        classification: 'safe',
        min: 0,
        max: 2,
        step: 0.5,
        defaultValue: 2,
        distribution: 'center',
        children: [
          {
            id: 'lyr_less',
            kind: 'number_stepper_button',
            role: 'decrement',
            style: { background: CARD, radius: 22 },
            children: [text('lyr_less_t', words('−'), { fontSize: 22 })],
          },
          {
            id: 'lyr_value',
            kind: 'number_stepper_value',
            unitLabel: words('litres', 'لتر'),
            style: { fontSize: 24, fontWeight: 700, color: INK, minWidth: 120 },
          },
          {
            id: 'lyr_more',
            kind: 'number_stepper_button',
            role: 'increment',
            style: { background: CARD, radius: 22 },
            children: [text('lyr_more_t', words('+'), { fontSize: 22 })],
          },
        ],
      },
      GO,
    ],
  },
  phone_input: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_phone',
        kind: 'phone_input',
        fieldKey: 'phone',
        classification: 'sensitive',
        children: [label('lyr_phone_l', words('Mobile number', 'رقم الهاتف'))],
      },
      GO,
    ],
    type: { lyr_phone: '2015550123' },
  },
  'phone_input-open': {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_phone',
        kind: 'phone_input',
        fieldKey: 'phone',
        classification: 'sensitive',
        defaultCountryCode: 'FR',
      },
      GO,
    ],
    open: 'lyr_phone',
  },
  address_input: {
    dark: true,
    arabic: true,
    layers: [{ id: 'lyr_address', kind: 'address_input', fieldKey: 'home', classification: 'sensitive', gap: 10 }, GO],
    type: { lyr_address: '1 Main Street' },
  },
  oauth_login: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: 'lyr_login',
        kind: 'oauth_login',
        align: 'stretch',
        gap: 10,
        children: [
          { id: 'lyr_google', kind: 'oauth_provider', variant: 'preset', provider: 'google' },
          { id: 'lyr_apple', kind: 'oauth_provider', variant: 'preset', provider: 'apple' },
          {
            id: 'lyr_github',
            kind: 'oauth_provider',
            variant: 'preset',
            provider: 'github',
            label: words('Continue with GitHub', 'المتابعة عبر GitHub'),
            style: { radius: 28 },
          },
          {
            id: 'lyr_own',
            kind: 'oauth_provider',
            variant: 'custom',
            rowId: '22222222-2222-4222-8222-222222222201',
            buttonVariant: 'secondary',
            children: [
              {
                id: 'lyr_own_i',
                kind: 'icon',
                family: 'ionicons',
                iconName: 'key-outline',
                style: { width: 18, height: 18, color: INK },
              },
              text('lyr_own_t', words('Company account', 'حساب الشركة'), { fontSize: 15, fontWeight: 600 }),
            ],
          },
        ],
      },
    ],
  },
  email_password_auth: {
    dark: true,
    layers: [form('sign_up', ['email', 'password', 'confirm'])],
    type: { lyr_email: 'ana@example.com', lyr_password: 'secret' },
    tap: ['lyr_submit'],
  },
  'email_password_auth-sign_in': { layers: [form('sign_in', ['email', 'password'])] },
};
