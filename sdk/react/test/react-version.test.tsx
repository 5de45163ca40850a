import { version } from 'react';
import { version as domVersion } from 'react-dom';
import { expect, it } from 'vitest';

it('is the version that this run is meant for', () => {
  const wanted = process.env.VITEST_REACT_MAJOR ?? '19';
  expect([version.split('.')[0], domVersion.split('.')[0]]).toEqual([wanted, wanted]);
});
