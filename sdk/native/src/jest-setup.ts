// Stands in for the native halves of what is installed beside the SDK: what a device links, jest has not. Views become
// host elements that are named after what they draw, so that tests can find them and read their props.

declare const jest: { doMock(name: string, factory: () => unknown): void };
declare const require: { (name: string): unknown; resolve(name: string): string };

function isInstalled(name: string): boolean {
  try {
    return require.resolve(name) !== '';
  } catch {
    return false;
  }
}

function standIn(name: string, factory: () => unknown): void {
  if (isInstalled(name)) jest.doMock(name, factory);
}

function view(name: string) {
  const { createElement } = require('react') as typeof import('react');
  const View = (props: Record<string, unknown>) => createElement(name, props);
  View.displayName = name;
  return View;
}

standIn('react-native-worklets', () => require('react-native-worklets/src/mock'));
standIn('react-native-reanimated', () => require('react-native-reanimated/mock'));
standIn('@react-native-async-storage/async-storage', () =>
  require('@react-native-async-storage/async-storage/jest/async-storage-mock'),
);
standIn(
  'react-native-safe-area-context',
  () => (require('react-native-safe-area-context/jest/mock') as { default: unknown }).default,
);
standIn('react-native-get-random-values', () => ({}));
standIn('react-native-linear-gradient', () => ({ __esModule: true, default: view('LinearGradient') }));
standIn('lottie-react-native', () => ({ __esModule: true, default: view('LottieView') }));
standIn('@react-native-community/datetimepicker', () => ({ __esModule: true, default: view('DateTimePicker') }));
standIn('react-native-vector-icons/Ionicons', () => ({
  __esModule: true,
  default: Object.assign(view('Ionicons'), { hasIcon: () => true }),
}));

export {};
