// Writes the tables that match a device's locale to those of a flow, from CLDR (the package cldr-core): for the SDK and
// for the service, with the same texts. `node scripts/locale-table.mjs` writes, `--check` fails when they are stale.
import { readFileSync, writeFileSync } from 'node:fs';

const TYPESCRIPT = new URL('../core/src/flow/locale-table.gen.ts', import.meta.url);
const GO = new URL('../../internal/locale/table_gen.go', import.meta.url);

const read = (file) => JSON.parse(readFileSync(new URL(import.meta.resolve(`cldr-core/${file}.json`)), 'utf8'));
const { likelySubtags } = read('supplemental/likelySubtags').supplemental;
const { languageAlias } = read('supplemental/aliases').supplemental.metadata.alias;
const { languageMatch, matchVariables } = read('supplemental/languageMatching').supplemental.languageMatching[
  'written-new'
];
const { territoryContainment } = read('supplemental/territoryContainment').supplemental;
const { scriptMetadata } = read('scriptMetadata');
const available = read('availableLocales').availableLocales.full;

const languageOf = (tag) => tag.split('-')[0];
const isScript = (part) => /^[A-Z][a-z]{3}$/.test(part);
const isCountry = (part) => /^[A-Z]{2}$/.test(part);

/** CLDR's distance between two scripts of one language: from here on nothing is near. */
const FAR = 50;
/** CLDR's distance to each dialect that a language holds. No system offers these as its language. */
const DIALECT = 10;
/** CLDR's distance between languages that hardly differ. */
const CLOSE = 4;

const isRightToLeft = (script) => scriptMetadata[script]?.rtl === 'YES';

/** Languages of which CLDR says that another one serves, but for dialects. */
const neighbors = languageMatch.filter(({ _distance }) => _distance !== DIALECT).map(({ _desired }) => _desired);

/**
 * The languages that systems offer: those that CLDR covers at the moderate level at least, those that hardly differ from
 * another one, and, for the direction of texts, those from right to left. Any other is near to itself alone, and runs
 * from left to right.
 */
const languages = new Set([
  ...Object.entries(read('coverageLevels').effectiveCoverageLevels)
    .filter(([, level]) => level !== 'basic')
    .map(([tag]) => languageOf(tag)),
  ...available
    .filter((tag) => languageOf(tag).length === 2 || neighbors.includes(languageOf(tag)))
    .filter((tag) => [tag.split('-')[1], likelySubtags[languageOf(tag)]?.split('-')[1]].some(isRightToLeft))
    .map(languageOf),
  ...languageMatch.filter(({ _distance }) => _distance === CLOSE).map(({ _desired }) => languageOf(_desired)),
]);
for (const language of ['und', '*', 'sh', 'ssy']) languages.delete(language);

const usualScript = (language) => likelySubtags[language].split('-')[1];

/** The subtags that CLDR adds to a language with at most one part more. */
const likely = Object.entries(likelySubtags)
  .map(([key, value]) => ({ key, parts: key.split('-'), value: value.split('-') }))
  .filter(({ parts }) => languages.has(parts[0]) && parts.length <= 2);

/** The scripts of each language: the usual one, and those of its locales and regions. */
const written = new Map([...languages].map((language) => [language, new Set([usualScript(language)])]));
for (const tag of available) {
  const [language, script = ''] = tag.split('-');
  if (languages.has(language) && isScript(script)) written.get(language).add(script);
}
for (const { parts, value } of likely) {
  if (isCountry(parts[1] ?? '')) written.get(parts[0]).add(value[1]);
}

/** Languages with locales for two further regions at least; of others it hardly matters where they are at home. */
const spread = new Set(
  [...languages].filter((language) => {
    const found = available.filter((tag) => languageOf(tag) === language).map((tag) => tag.split('-').find(isCountry));
    return new Set(found.filter(Boolean)).size > 1;
  }),
);

const scripts = [];
const regions = [];
for (const { key, parts, value } of likely) {
  const [language, part] = parts;
  const [, script, region] = value;
  if (part === undefined) {
    if (written.get(language).size > 1 || isRightToLeft(script)) scripts.push([script, key]);
    if (spread.has(language) && region !== language.toUpperCase()) regions.push([region, key]);
  } else if (isCountry(part)) {
    if (script !== usualScript(language)) scripts.push([script, key]);
  } else if (part !== usualScript(language) && written.get(language).has(part) && spread.has(language)) {
    if (region !== likelySubtags[language].split('-')[2]) regions.push([region, key]);
  }
}

const aliases = Object.entries(languageAlias)
  // Three letters for a language that has two are no BCP 47, and no system sends what was withdrawn of three letters.
  .filter(([key, { _reason }]) => /^[a-z]{2}$/.test(key) || (/macro|legacy/.test(_reason) && /^[a-z]{3}$/.test(key)))
  .filter(([, { _replacement }]) => languages.has(languageOf(_replacement)))
  .map(([key, { _replacement }]) => [_replacement, key]);

const distances = new Map();
for (const { _desired, _supported, _distance, _oneway } of languageMatch) {
  distances.set(`${_desired} ${_supported}`, _distance);
  if (!_oneway) distances.set(`${_supported} ${_desired}`, _distance);
}

/** A language, with its script where that is not the usual one. */
const shortest = (language, script) => (script === usualScript(language) ? language : `${language}-${script}`);

const near = [];
for (const desired of languages) {
  for (const supported of languages) {
    const between = desired === supported ? 0 : (distances.get(`${desired} ${supported}`) ?? FAR);
    if (between >= FAR) continue;
    for (const script of written.get(desired)) {
      for (const other of written.get(supported)) {
        if (desired === supported && script === other) continue;
        const apart = script === other ? 0 : (distances.get(`${desired}-${script} ${supported}-${other}`) ?? FAR);
        const distance = between + apart;
        if (distance < FAR) near.push([shortest(supported, other) + distance, shortest(desired, script)]);
      }
    }
  }
}

/** The countries of a region and of its parts, and Latin America as one. */
function countries(region) {
  if (!/^\d+$/.test(region)) return [region];
  const parts = territoryContainment[region]._contains.flatMap(countries);
  return [...parts, ...(territoryContainment[`${region}-status-grouping`] && region === '019' ? ['419'] : [])];
}

const members = (variable) => matchVariables[variable]._value.split('+').flatMap(countries).sort().join(' ');

/** `he iw,id in ji`: values, each with the keys that have it. */
function grouped(pairs) {
  const groups = {};
  for (const [value, key] of pairs) groups[value] = [...(groups[value] ?? []), key];
  return Object.keys(groups)
    .sort()
    .map((value) => [value, ...groups[value].sort()].join(' '))
    .join(',');
}

const scriptsInUse = new Set([...written.values()].flatMap((found) => [...found]));

const TABLES = {
  Aliases: ['Codes of languages, each with the older and narrower ones that it replaces.', grouped(aliases)],
  Scripts: [
    'Scripts, each with the languages of several scripts or from right to left that use it, if need be in one region only.',
    grouped(scripts),
  ],
  Regions: ['Regions, each with the languages at home in it whose code is another.', grouped(regions)],
  Near: ['Languages and the distance at which they serve, each with those whom they serve.', grouped(near)],
  NorthAmericanEnglish: ['Regions of English as in the United States.', members('$enUS')],
  Maghreb: ['Regions of Arabic as in the Maghreb.', members('$maghreb')],
  Americas: ['Regions of Spanish and Portuguese as in America.', members('$americas')],
  HongKong: ['Regions of traditional Chinese as in Hong Kong.', members('$cnsar')],
  RightToLeft: ['Scripts that run from right to left.', [...scriptsInUse].filter(isRightToLeft).sort().join(' ')],
};

const NOTICE = `Code generated by sdk/scripts/locale-table.mjs from CLDR ${read('package').version}. DO NOT EDIT.`;

const upperSnake = (name) => name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();

function wrapped(text, width) {
  const lines = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.length <= width ? rest.length : rest.lastIndexOf(' ', width) + 1;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return lines;
}

const typescript = `// ${NOTICE}
${Object.entries(TABLES)
  .map(([name, [comment, text]]) => {
    const lines = wrapped(text, 110);
    const value = lines.length === 1 ? ` '${text}'` : `\n${lines.map((line) => `  '${line}'`).join(' +\n')}`;
    return `\n/** ${comment} */\nexport const ${upperSnake(name)} =${value};\n`;
  })
  .join('')}`;

const lowerFirst = (name) => name[0].toLowerCase() + name.slice(1);

const go = `// ${NOTICE}

package locale

const (
${Object.entries(TABLES)
  .map(([name, [comment, text]]) => {
    const lines = wrapped(text, 105).map((line) => `"${line}"`);
    return `\t// ${comment}\n\t${lowerFirst(name)} = ${lines.join(' +\n\t\t')}\n`;
  })
  .join('\n')})
`;

let stale = false;
for (const [file, text] of [
  [TYPESCRIPT, typescript],
  [GO, go],
]) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file.pathname} is stale: run node scripts/locale-table.mjs`);
    stale = true;
  }
}
process.exitCode = stale ? 1 : 0;
