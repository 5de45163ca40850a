import type { Branding, ButtonVariant, CommonStyle, Layer, StackLayer, Theme } from '@svc/core';
import { button, text } from '../support/manifests';

// One picture a kind of layer, each with what an author is likely to set.

const INK = { light: '#0f172a', dark: '#f8fafc' };
const QUIET = { light: '#475569', dark: '#94a3b8' };
const CARD = { light: '#f1f5f9', dark: '#1e293b' };
const TEAL = '#0d9488';

export const THEME: Theme = { primary: TEAL };

export const BRANDING: Branding = {
  colorPresets: [],
  gradientPresets: [
    {
      id: '33333333-3333-4333-8333-333333333301',
      name: 'Dusk',
      type: 'linear',
      angle: 135,
      stops: [
        { offset: 0, color: '#f97316' },
        { offset: 1, color: '#7c3aed' },
      ],
    },
  ],
  fontFamilies: [],
};

const PICTURE = '11111111-1111-4111-8111-111111111101';
const DRAWING = '11111111-1111-4111-8111-111111111102';
const FILM = '11111111-1111-4111-8111-111111111103';
const ANIMATION = '11111111-1111-4111-8111-111111111104';

const drawing = (body: string): string =>
  `data:image/svg+xml;utf8,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60">${body}</svg>`)}`;

const animation = {
  v: '5.7.0',
  fr: 30,
  ip: 0,
  op: 6,
  w: 40,
  h: 20,
  layers: [{ ty: 1, nm: 'plate', ind: 1, ip: 0, op: 6, st: 0, sw: 40, sh: 20, sc: '#2a9d8f', ks: {} }],
};

export const MEDIA: Readonly<Record<string, string>> = {
  [PICTURE]: '/picture.png',
  [DRAWING]: drawing(
    '<circle cx="30" cy="30" r="28" fill="#0d9488"/><path d="M16 31l10 10 19-21" fill="none" stroke="#fff" stroke-width="6"/>',
  ),
  [FILM]: 'https://media.example/clip.mp4',
  [ANIMATION]: `data:application/json,${encodeURIComponent(JSON.stringify(animation))}`,
};

const media = (mediaAssetId: string) => ({ mediaAssetId });

const ids = { taken: 0 };
const id = (): string => {
  ids.taken += 1;
  return `lyr_g${ids.taken}`;
};

type TextStyle = Extract<Layer, { kind: 'text' }>['style'];
const words = (copy: string, style: TextStyle = {}): Layer => text(id(), copy, { color: INK, ...style });
const heading = (copy: string): Layer => words(copy, { fontSize: 26, fontWeight: 700, lineHeight: 1.2 });
const note = (copy: string): Layer => words(copy, { fontSize: 14, color: QUIET, lineHeight: 1.4 });

function stack(children: Layer[], extra: Partial<StackLayer> = {}): StackLayer {
  return { id: id(), kind: 'stack', direction: 'vertical', children, ...extra };
}
const row = (children: Layer[], extra: Partial<StackLayer> = {}): StackLayer =>
  stack(children, { direction: 'horizontal', ...extra });
const block = (style: CommonStyle): Layer => stack([], { style: { background: TEAL, ...style } });
const icon = (iconName: string, size: number, color: typeof INK | string = INK): Layer => ({
  id: id(),
  kind: 'icon',
  family: 'ionicons',
  iconName,
  style: { width: size, height: size, color },
});
const caption = (copy: string): Layer => text(id(), copy, { fontSize: 16, fontWeight: 600 });

type ButtonLayer = Extract<Layer, { kind: 'button' }>;
const press = (copy: string, variant: ButtonVariant, extra: Partial<ButtonLayer> = {}): Layer => ({
  ...(button(id(), { kind: 'skip' }) as ButtonLayer),
  variant,
  children: [caption(copy)],
  ...extra,
});

export interface Picture {
  layers: Layer[];
  /** Moment that motion is frozen at, ms. */
  timeMs?: number;
  /** Also drawn in the dark palette. */
  dark?: boolean;
  /** Also drawn from right to left. */
  arabic?: boolean;
  /** What is typed first: words by the layer of the field. */
  type?: Readonly<Record<string, string>>;
  /** What is tapped then. */
  tap?: readonly string[];
  /** A layer whose list or picker is opened at last. */
  open?: string;
}

const arabic = (english: string, translation: string, style: TextStyle = {}): Layer => ({
  id: id(),
  kind: 'text',
  text: { default: english, translations: { ar: translation } },
  style: { color: INK, ...style },
});

/** Every kind of layer that shows or leads somewhere. */
export const DISPLAY: Readonly<Record<string, Picture>> = {
  text: {
    dark: true,
    layers: [
      heading('Know what your plants need'),
      note('Water, light and soil, for each of them, on the day when it counts.'),
      words('Centred words of one line', { align: 'center', fontSize: 15 }),
      words('On the right', { align: 'right', fontSize: 15, width: 'auto' }),
      words('S P A C E D', { letterSpacing: 0.2, fontSize: 13, fontWeight: 600, color: TEAL }),
      words('In a box of its own', {
        background: CARD,
        padding: { t: 10, b: 10, l: 14, r: 14 },
        radius: 12,
        width: 'auto',
        border: { width: 1, color: '#94a3b8' },
      }),
      row([words('Short'), words('and a longer one beside it that has to wrap within the row', { color: QUIET })]),
    ],
  },
  stack: {
    dark: true,
    layers: [
      row([block({ width: 60, height: 40, radius: 8 }), block({ width: 'full', height: 40, radius: 8, opacity: 0.5 })]),
      row([block({ width: '1/3', height: 30 }), block({ width: '1/4', height: 30, background: '#f97316' })], {
        gap: 8,
      }),
      row([words('start'), words('between'), words('end')], { distribution: 'between' }),
      stack([words('Card'), note('with a border, corners and a shadow')], {
        gap: 4,
        style: {
          background: { light: '#ffffff', dark: '#111827' },
          padding: { t: 16, b: 16, l: 16, r: 16 },
          radius: 16,
          border: { width: 1, color: { light: '#e2e8f0', dark: '#334155' } },
          shadow: { offsetY: 8, blur: 24, color: '#0f172a', opacity: 0.18 },
        },
      }),
      stack([words('A gradient of the brand', { color: '#ffffff', fontWeight: 600 })], {
        style: {
          background: '$brandGradient:33333333-3333-4333-8333-333333333301',
          padding: { t: 24, b: 24, l: 16, r: 16 },
          radius: 16,
        },
      }),
      stack([words('A gradient by hand', { color: '#0f172a' })], {
        style: {
          background: 'linear-gradient(90deg, #a7f3d0 0%, #67e8f9 50%, #c4b5fd 100%)',
          padding: { t: 24, b: 24, l: 16, r: 16 },
          radius: 16,
          border: { width: 3, color: TEAL },
        },
      }),
      stack(
        [
          block({ width: 80, height: 60, radius: 10 }),
          stack([words('3', { color: '#ffffff', fontSize: 12, fontWeight: 700 })], {
            align: 'center',
            distribution: 'center',
            style: {
              position: 'absolute',
              inset: { t: -8, r: -8 },
              width: 24,
              height: 24,
              radius: 12,
              background: '#dc2626',
            },
          }),
        ],
        { style: { width: 'auto' } },
      ),
      row(
        ['fern', 'monstera', 'calathea', 'pothos', 'philodendron', 'yucca'].map((name) =>
          words(name, { background: CARD, radius: 20, padding: { t: 6, b: 6, l: 12, r: 12 }, fontSize: 14 }),
        ),
        { wrap: true, gap: 8 },
      ),
      block({ width: 60, height: 24, rotate: 20, margin: { l: 20, t: 10 } }),
    ],
  },
  button: {
    dark: true,
    layers: [
      press('Primary', 'primary'),
      press('Secondary', 'secondary'),
      press('Ghost', 'ghost'),
      press('Destructive', 'destructive'),
      press('Not yet', 'primary', { action: { kind: 'none' } }),
      press('With an icon', 'primary', {
        children: [icon('sparkles', 20, '#ffffff'), caption('With an icon')],
        style: { background: TEAL, color: '#ffffff', radius: 28, padding: { t: 16, b: 16, l: 20, r: 20 } },
      }),
      press('Gradient', 'primary', {
        style: { background: '$brandGradient:33333333-3333-4333-8333-333333333301', color: '#ffffff' },
      }),
      row([
        press('Later', 'secondary', { style: { width: 'full' } }),
        press('Now', 'primary', { style: { width: 'full' } }),
      ]),
    ],
  },
  back_button: {
    arabic: true,
    layers: [
      {
        id: id(),
        kind: 'back_button',
        variant: 'ghost',
        fallbackScreenId: 'scr_other',
        children: [icon('chevron-back', 22), arabic('Back', 'رجوع', { fontSize: 16 })],
        style: { width: 'auto' },
        gap: 4,
      },
      arabic('How often do you water?', 'كم مرة تسقي نباتاتك؟', { fontSize: 26, fontWeight: 700 }),
      arabic('Most plants want less than we think.', 'معظم النباتات تحتاج إلى ماء أقل مما نظن.', {
        color: QUIET,
        fontSize: 15,
      }),
      row([icon('water', 24, TEAL), arabic('Twice a week', 'مرتين في الأسبوع')], {
        align: 'center',
        style: { background: CARD, radius: 12, padding: { t: 14, b: 14, l: 24, r: 8 } },
      }),
    ],
  },
  hyperlink: {
    dark: true,
    layers: [
      {
        id: id(),
        kind: 'hyperlink',
        href: 'https://example.com/terms',
        children: [words('Terms of use', { color: TEAL, fontSize: 15 }), icon('open-outline', 16, TEAL)],
        gap: 6,
        align: 'center',
      },
      {
        id: id(),
        kind: 'hyperlink',
        href: 'mailto:help@example.com',
        direction: 'vertical',
        children: [words('Write to us', { fontWeight: 600 }), note('We answer within a day.')],
        gap: 2,
        style: { width: 'full', background: CARD, radius: 12, padding: { t: 14, b: 14, l: 16, r: 16 } },
      },
    ],
  },
  image: {
    layers: [
      { id: id(), kind: 'image', media: media(PICTURE), alt: 'Its own size', style: { width: 'auto', height: 'auto' } },
      { id: id(), kind: 'image', media: media(PICTURE), alt: 'Full width', style: { width: 'full', radius: 16 } },
      {
        id: id(),
        kind: 'image',
        media: media(DRAWING),
        alt: 'A drawing of its own size',
        style: { width: 'auto', height: 'auto' },
      },
      row([
        { id: id(), kind: 'image', media: media(PICTURE), alt: 'Cover', style: { width: 72, height: 72, radius: 36 } },
        {
          id: id(),
          kind: 'image',
          media: media(PICTURE),
          alt: 'Contain',
          style: { width: 72, height: 72, fit: 'contain', background: CARD },
        },
        { id: id(), kind: 'image', media: media(PICTURE), alt: 'Fill', style: { width: 72, height: 72, fit: 'fill' } },
        { id: id(), kind: 'image', media: media(DRAWING), alt: 'A drawing', style: { width: 72, height: 72 } },
      ]),
      {
        id: id(),
        kind: 'image',
        media: media(PICTURE),
        alt: 'By ratio',
        style: { width: 'full', aspectRatio: 3, radius: 8 },
      },
      { id: id(), kind: 'image', alt: 'Missing', style: { width: 'full', radius: 16 } },
    ],
  },
  icon: {
    dark: true,
    layers: [
      row([icon('leaf', 24, TEAL), icon('leaf-outline', 40), icon('heart', 32, '#dc2626'), icon('no-such-icon', 24)], {
        align: 'center',
      }),
      row([{ id: id(), kind: 'icon', family: 'ionicons', iconName: 'star' }, words('without a size')], {
        align: 'center',
      }),
      {
        ...(icon('checkmark', 28, '#ffffff') as Extract<Layer, { kind: 'icon' }>),
        style: { width: 28, height: 28, color: '#ffffff', background: TEAL, radius: 14 },
      },
    ],
  },
  progress: {
    dark: true,
    arabic: true,
    layers: [
      { id: id(), kind: 'progress' },
      { id: id(), kind: 'progress', fillColor: '#f97316', trackColor: CARD, style: { height: 14, radius: 7 } },
    ],
  },
  loader: {
    dark: true,
    timeMs: 1_300,
    layers: [
      { id: id(), kind: 'loader' },
      {
        id: id(),
        kind: 'loader',
        fillColor: '#7c3aed',
        trackOpacity: 0.4,
        style: { height: 12, width: 200 },
        align: 'center',
      },
      { id: id(), kind: 'loader', variant: 'circular', align: 'center' },
      {
        id: id(),
        kind: 'loader',
        variant: 'circular',
        targetPercent: 80,
        style: { width: 96, height: 96, strokeWidth: 10 },
        fillColor: TEAL,
      },
    ],
  },
  counter: {
    timeMs: 1_500,
    layers: [
      {
        id: id(),
        kind: 'counter',
        startValue: 0,
        endValue: 250,
        style: { fontSize: 48, fontWeight: 700, color: INK, align: 'center' },
      },
      {
        id: id(),
        kind: 'counter',
        startValue: 0,
        endValue: 99.5,
        decimalPlaces: 1,
        delayMs: 500,
        style: { fontSize: 24, color: TEAL },
      },
      {
        id: id(),
        kind: 'counter',
        startValue: 90,
        endValue: 0,
        displayKind: 'time',
        style: { fontSize: 24, color: INK },
      },
    ],
  },
  lottie: {
    layers: [
      { id: id(), kind: 'lottie', media: media(ANIMATION) },
      {
        id: id(),
        kind: 'lottie',
        media: media(ANIMATION),
        style: { width: 120, height: 120, fit: 'cover', radius: 60 },
      },
      { id: id(), kind: 'lottie' },
    ],
  },
  video: {
    layers: [
      { id: id(), kind: 'video', media: media(FILM), style: { width: 'full', aspectRatio: 1.78, fit: 'cover' } },
      { id: id(), kind: 'video', media: media(FILM), loop: false, audioEnabled: true, autoPlay: false },
      { id: id(), kind: 'video', style: { width: 'full', height: 80 } },
    ],
  },
  carousel: {
    dark: true,
    arabic: true,
    layers: [
      {
        id: id(),
        kind: 'carousel',
        pagePeek: 28,
        pageSpacing: 12,
        openOn: 1,
        pageControl: {
          position: 'bottom',
          spacing: 8,
          margin: { t: 14 },
          indicators: { width: 8, height: 8, activeWidth: 22, defaultColor: '#cbd5e1', activeColor: TEAL },
        },
        slides: ['Water', 'Light', 'Soil'].map((copy) =>
          stack([heading(copy), note('What your plant gets, and when.')], {
            style: { background: CARD, radius: 20, padding: { t: 28, b: 28, l: 20, r: 20 } },
          }),
        ),
      },
      {
        id: id(),
        kind: 'carousel',
        pageControl: {
          position: 'top',
          padding: { t: 6, b: 6, l: 10, r: 10 },
          border: { width: 1, color: '#94a3b8' },
          indicators: { activeColor: '#f97316' },
        },
        slides: [stack([words('A plain first slide')]), stack([words('and another one')])],
      },
    ],
  },
  conditional: {
    layers: [
      {
        id: 'lyr_gif',
        kind: 'conditional',
        cases: [
          {
            id: 'c1',
            rootLayerId: 'lyr_gif_yes',
            expression: {
              kind: 'predicate',
              variable: { kind: 'builtin', name: 'locale' },
              predicate: { type: 'string', pred: { op: 'eq', value: 'en' } },
            },
          },
        ],
        elseRootLayerId: 'lyr_gif_no',
        children: [
          { ...stack([heading('Shown in English')]), id: 'lyr_gif_yes' },
          { ...stack([heading('Shown otherwise')]), id: 'lyr_gif_no' },
        ],
      },
    ],
  },
};
