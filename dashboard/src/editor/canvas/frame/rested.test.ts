import { expect, it } from 'vitest';
import { isSameBesideScreens } from './rested';

it('tells flows apart that differ in more than what is inside of screens', () => {
  const theme = { colors: {} };
  const flow = { theme, defaultLocale: 'en', screens: [{ id: 'a' }, { id: 'b' }] };
  expect(isSameBesideScreens(flow, { ...flow, screens: [{ id: 'a', name: 'A' }, { id: 'b' }] })).toBe(true);
  expect(isSameBesideScreens(flow, { ...flow, builderMeta: {} })).toBe(true);
  expect(isSameBesideScreens(flow, { ...flow, theme: { colors: {} } })).toBe(false);
  expect(isSameBesideScreens(flow, { ...flow, locales: ['en', 'de'] })).toBe(false);
  expect(isSameBesideScreens({ ...flow, locales: ['en'] }, flow)).toBe(false);
  expect(isSameBesideScreens(flow, { ...flow, screens: [{ id: 'b' }, { id: 'a' }] })).toBe(false);
  expect(isSameBesideScreens(flow, { ...flow, screens: [{ id: 'a' }] })).toBe(false);
  expect(isSameBesideScreens({ ...flow, screens: [null] }, { ...flow, screens: null })).toBe(false);
});
