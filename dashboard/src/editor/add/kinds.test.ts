import { expect, test } from 'vitest';
import shape from '../../../../manifest/shape/shape.json';
import { kindsToInsert } from '../document/commands/defaults';
import { kinds as groups } from './kinds';

test('every kind of layer can be added, in one group', () => {
  const kinds = Object.entries(shape.kinds as Record<string, { is: string }>).flatMap(([kind, { is }]) =>
    is === 'layer' ? [kind] : [],
  );
  expect(kinds).toHaveLength(31);
  expect(groups.flatMap(({ additions }) => additions.map(({ kind }) => kind)).sort()).toEqual(kinds.sort());
  expect([...kindsToInsert].sort()).toEqual(kinds.sort());
});
