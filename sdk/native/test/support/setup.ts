// Stands in for the native halves of the peers: what a device links, jest has not.
// Views become host elements named after the module, so that tests can find them and read their props.

function mockView(name: string) {
  const { createElement } = jest.requireActual<typeof import('react')>('react');
  const View = (props: Record<string, unknown>) => createElement(name, props);
  View.displayName = name;
  return View;
}

jest.mock('react-native-worklets', () => jest.requireActual('react-native-worklets/src/mock'));
jest.mock('react-native-reanimated', () => jest.requireActual('react-native-reanimated/mock'));
jest.mock('@react-native-async-storage/async-storage', () =>
  jest.requireActual('@react-native-async-storage/async-storage/jest/async-storage-mock'),
);
jest.mock(
  'react-native-safe-area-context',
  () => jest.requireActual('react-native-safe-area-context/jest/mock').default,
);
jest.mock('react-native-get-random-values', () => ({}));
jest.mock('react-native-linear-gradient', () => ({ __esModule: true, default: mockView('LinearGradient') }));
jest.mock('lottie-react-native', () => ({ __esModule: true, default: mockView('LottieView') }));
jest.mock('@react-native-community/datetimepicker', () => ({ __esModule: true, default: mockView('DateTimePicker') }));
jest.mock('react-native-vector-icons/Ionicons', () => ({
  __esModule: true,
  default: Object.assign(mockView('Ionicons'), { hasIcon: () => true }),
}));
