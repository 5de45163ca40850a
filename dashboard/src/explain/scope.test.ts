import { expect, test } from 'vitest';
import { scopeOf } from './scope';

const asked = (scope: object) => ({ variables: { scope } });

test('filters are sentences in the words of the page', () => {
  const scope = {
    platform: 'IOS',
    cross: {
      acquisitionChannel: { op: 'IS_NOT', values: [''] },
      country: { op: 'IS', values: ['DE', 'FR'] },
      device: { op: 'IS', values: ['mobile'] },
    },
    filters: { operatingSystems: { values: ['macOS'] } },
  };
  expect(scopeOf(asked(scope)).filters).toEqual([
    'Platform is iOS',
    'Channel is not Direct / none',
    'Country is Germany or France',
    'Device is Mobile',
    'Operating systems is macOS',
  ]);
});

test('a segment has its name, unless it was deleted', () => {
  expect(scopeOf(asked({ segmentId: '7' }), 'Germans').filters).toEqual(['Segment “Germans”']);
  expect(scopeOf(asked({ segmentId: '7' })).filters).toEqual(['A segment']);
});

test('without a scope there is no filter', () => {
  expect(scopeOf({ variables: {} })).toEqual({ range: undefined, zone: 'UTC', segment: undefined, filters: [] });
});
