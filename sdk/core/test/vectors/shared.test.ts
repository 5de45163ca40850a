import { expect, it } from 'vitest';
import { attributionColumns } from '../../src/analytics/attribution-keys';
import { cleanViewName, jsonLength } from '../../src/analytics/limits';
import { readablePath } from '../../src/analytics/readable-path';
import { captureWebAttribution, pageName } from '../../src/analytics/web-attribution';
import { flowEtag } from '../../src/api/types';
import { utf8Length } from '../../src/host/text-size';
import { FakePlatform } from '../support/fake-platform';
import { vectors } from '../support/vectors';

it.each(vectors<{ assignmentVersion: number; versionId: string; etag: string }[]>('etag'))(
  '$etag',
  ({ etag, ...flow }) => {
    expect(flowEtag(flow)).toBe(etag);
  },
);

const sizes = vectors<{
  texts: { value: string; utf16: number; utf8: number; json: number }[];
  values: { value: unknown; json: number }[];
}>('text-sizes');

it.each(sizes.texts)('sizes of $value', ({ value, utf16, utf8, json }) => {
  expect([value.length, utf8Length(value), jsonLength(value)]).toEqual([utf16, utf8, json]);
});

it.each(sizes.values)('JSON size of $value', ({ value, json }) => {
  expect(jsonLength(value)).toBe(json);
});

interface AttributionVector {
  name: string;
  attribution: Record<string, unknown>;
  columns: Record<string, string | boolean>;
}

it.each(vectors<AttributionVector[]>('attribution-keys'))('attribution: $name', ({ attribution, columns }) => {
  // JSON.parse keeps the value of a number, not its spelling: 1.50 is 1.5 here.
  const spelled = Object.entries(columns).map(([column, value]) => [
    column,
    typeof value === 'string' && /^\d+\.\d*0$/.test(value) ? String(Number(value)) : value,
  ]);
  expect(attributionColumns(attribution)).toEqual(Object.fromEntries(spelled));
});

interface WebAttributionVector {
  name: string;
  url: string;
  referrer: string | null;
  attributes: Record<string, unknown>;
}

it.each(vectors<WebAttributionVector[]>('web-attribution'))('page: $name', ({ url, referrer, attributes }) => {
  const { parseUrl } = new FakePlatform(() => 'network-error');
  const page = parseUrl(url)!;
  expect(captureWebAttribution(page, referrer === null ? null : parseUrl(referrer))).toEqual(attributes);
});

const paths = vectors<{ name: string; readable: string; limit?: number }[]>('readable-paths');

it.each(paths)('page $name cut at $limit', ({ name, readable, limit }) => {
  expect(readablePath(name, limit)).toBe(readable);
  if (limit === undefined) expect(readablePath(readable)).toBe(readable);
});

it.each(paths.filter(({ name, limit }) => limit === undefined && name.startsWith('/')))(
  'path, hash route, name and landing address of $name',
  ({ name, readable }) => {
    expect(pageName({ pathname: name, hash: '' })).toBe(readable);
    if (!name.includes('?')) expect(pageName({ pathname: '/', hash: `#${name}?tab=1` })).toBe(readable);
    expect(cleanViewName(pageName({ pathname: name, hash: '' }))).toBe(readable);
    const page = { protocol: 'https:', host: 'a.example', hostname: 'a.example', pathname: name, search: '', hash: '' };
    expect(captureWebAttribution(page, null)['link.ext.landing_url']).toBe(`https://a.example${readable}`);
  },
);
