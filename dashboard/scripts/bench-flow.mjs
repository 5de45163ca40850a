// Flows as large as people make them, for the measurements of the editor.

const text = (id, words, languages, size = 16) => ({
  id,
  kind: 'text',
  text: {
    default: words,
    ...(languages.length > 0 && {
      translations: Object.fromEntries(languages.map((language) => [language, `${words} (${language})`])),
    }),
  },
  style: {
    fontSize: size,
    fontWeight: 400,
    width: 'full',
    height: 'auto',
    color: { light: '#14213d', dark: '#f5f5f5' },
  },
});

const stack = (id, children, more = {}) => ({ id, kind: 'stack', direction: 'vertical', children, ...more });

/** A screen of cards: a title, then stacks of a headline, words and a price, and a button at the foot. */
function screen(at, { screens, layers, languages }) {
  const card = (n) =>
    stack(
      `lyr_${at}_card${n}`,
      ['Headline', 'Words that say more of it', 'Price'].map((words, part) =>
        text(`lyr_${at}_${n}_${part}`, `${words} ${n} of screen ${at}`, languages),
      ),
      { gap: 4, style: { padding: { t: 8, r: 8, b: 8, l: 8 }, width: 'full', height: 'auto' } },
    );
  const cards = Math.floor((layers - 6) / 4);
  const rest = layers - 6 - cards * 4;
  return {
    id: `scr_${at}`,
    name: `Screen ${at}`,
    regions: {
      body: stack(
        `lyr_${at}_body`,
        [
          text(`lyr_${at}_title`, `Title of screen ${at}`, languages, 28),
          ...Array.from({ length: cards }, (_, n) => card(n)),
          ...Array.from({ length: rest + 1 }, (_, n) =>
            text(`lyr_${at}_more${n}`, `More ${n} of screen ${at}`, languages),
          ),
        ],
        { gap: 12, style: { padding: { t: 16, r: 20, b: 16, l: 20 }, width: 'full', height: 'fill' } },
      ),
      footer: stack(`lyr_${at}_foot`, [
        {
          id: `lyr_${at}_go`,
          kind: 'button',
          variant: 'primary',
          action: { kind: 'continue' },
          children: [text(`lyr_${at}_goText`, 'Continue', languages, 15)],
        },
      ]),
    },
    next: { default: at + 1 < screens ? `scr_${at + 1}` : null },
  };
}

/** A flow of so many screens, each of so many layers, with its texts in English and other languages. */
export const largeFlow = ({ screens, layers, languages = [] }) => ({
  flowId: crypto.randomUUID(),
  schemaVersion: 7,
  version: 1,
  defaultLocale: 'en',
  locales: ['en', ...languages],
  entryScreenId: 'scr_0',
  screens: Array.from({ length: screens }, (_, at) => screen(at, { screens, layers, languages })),
  decisionNodes: [],
  externalSurfaceNodes: [],
  sdkAttributeKeys: [],
});
