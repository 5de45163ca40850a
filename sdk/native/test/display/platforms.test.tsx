import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Branding, Layer } from '@svc/core';
import { act, cleanup, fireEvent, screen } from '@testing-library/react-native';
import { Platform, StyleSheet } from 'react-native';
import { requestPermission } from '../../src/host/permissions';
import { PlatformActionsContext } from '../../src/renderer/platform-actions-context';
import { showLayers } from '../support/inputs';

// What the service says of phones in its warnings about platforms is so. react/test/platforms.test.tsx draws the same
// layers on the web.
const verdicts = JSON.parse(readFileSync(join(__dirname, '../../../../manifest/testdata/verdicts.json'), 'utf8')) as {
  cases: { name: string; patch: { value: Layer }[] }[];
};
const layerOf = (name: string) =>
  verdicts.cases.find((one) => one.name === `platforms: ${name}`)?.patch[0]?.value as Layer;

const mockRequest = jest.fn(async (_: string) => 'granted');
jest.mock('react-native-permissions', () => ({
  request: (permission: string) => mockRequest(permission),
  requestNotifications: async () => ({ status: 'granted' }),
}));

const PRESET = 'b0000000-0000-4000-8000-000000000001';
const branding: Branding = {
  colorPresets: [],
  gradientPresets: [
    {
      id: PRESET,
      name: 'Glow',
      type: 'radial',
      stops: [
        { offset: 0, color: '#ff0000' },
        { offset: 1, color: '#0000ff' },
      ],
    },
  ],
  fontFamilies: [],
};

afterEach(() => {
  cleanup();
  jest.restoreAllMocks();
});

test('an animation that fills is cut off, not distorted', async () => {
  const layer = { ...layerOf('an animation that is distorted'), media: { mediaAssetId: PRESET } } as Layer;
  await showLayers([layer], { mediaMap: { [PRESET]: 'https://cdn.example/a.json' } });
  const box = screen.getByTestId('lyr_x', { includeHiddenElements: true });
  expect(box.findAll((node) => node.props.resizeMode !== undefined)[0]?.props.resizeMode).toBe('cover');
});

test('a radial gradient is its first color', async () => {
  await showLayers([layerOf('a radial gradient')], { branding });
  expect(StyleSheet.flatten(screen.getByTestId('lyr_x').props.style)).toMatchObject({ backgroundColor: '#ff0000' });
});

test.each(['ios', 'android'] as const)('%s asks for what browsers have no permission for', async (os) => {
  jest.replaceProperty(Platform, 'OS', os as never);
  mockRequest.mockClear();
  const camera = layerOf('a permission that browsers have none for') as Extract<Layer, { kind: 'button' }>;
  const health = layerOf('a permission that nothing asks for') as Extract<Layer, { kind: 'button' }>;
  const keyOf = ({ action }: typeof camera) => (action.kind === 'request_os_permission' ? action.permissionKey : '');
  expect(await requestPermission(keyOf(camera))).toBe('granted');
  expect(mockRequest).toHaveBeenCalledTimes(1);
  expect(await requestPermission(keyOf(health))).toBe('denied');
  expect(mockRequest).toHaveBeenCalledTimes(1);
});

test('a review is asked for', async () => {
  const requestReview = jest.fn(async () => ({ shown: true }));
  const layer: Layer = {
    id: 'lyr_x',
    kind: 'button',
    variant: 'primary',
    action: { kind: 'request_app_review' },
    children: [],
  };
  const { responses } = await showLayers([layer], {
    around: (drawn) => (
      <PlatformActionsContext.Provider value={{ requestPermission, requestReview }}>
        {drawn}
      </PlatformActionsContext.Provider>
    ),
  });
  await act(async () => void fireEvent.press(screen.getByTestId('lyr_x')));
  expect(requestReview).toHaveBeenCalledTimes(1);
  expect(responses).toMatchObject([{ kind: 'app_review_outcome', outcome: 'dismissed' }]);
});
