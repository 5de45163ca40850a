import * as flavour from 'svc-flavour';

test('exports what both flavours share', () => {
  expect(flavour.DEFAULT_API_BASE_URL).toMatch(/^https:/);
});
