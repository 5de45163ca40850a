const { join } = require('node:path');

const workspace = join(__dirname, '..');

/** Packages that ship sources for Metro and have to be transformed, by the start of their name. */
const UNTRANSFORMED = [
  'react-native',
  '@react-native',
  '@react-native-community',
  'expo',
  '@expo',
  'lottie-react-native',
];

/** The tests run on the sources of the workspace's packages, under React Native's own preset. */
function project(name, flavour, testMatch) {
  return {
    displayName: name,
    preset: '@react-native/jest-preset',
    rootDir: __dirname,
    roots: ['<rootDir>/test'],
    testMatch: testMatch.map((pattern) => `<rootDir>/test/${pattern}`),
    transform: {
      '^.+\\.[cm]?[jt]sx?$': ['babel-jest', { configFile: join(__dirname, 'babel.config.cjs') }],
    },
    transformIgnorePatterns: [`/node_modules/(?!(?:${UNTRANSFORMED.join('|')})(?:[-/]|$))`],
    moduleNameMapper: {
      '^@svc/(core|react-core|native|expo|react-native)$': join(workspace, '$1/src/index.ts'),
      '^@svc/core/internal$': join(workspace, 'core/src/internal.ts'),
      '^@svc/(expo|react-native)/testing$': join(workspace, '$1/src/testing.tsx'),
      '^@svc/native/sdk$': join(workspace, 'native/src/create-native-sdk.tsx'),
      '^@svc/native/testing$': join(workspace, 'native/src/testing.tsx'),
      '^svc-flavour$': join(workspace, flavour, 'src/index.ts'),
      '^svc-flavour/package.json$': join(workspace, flavour, 'package.json'),
    },
    setupFiles: ['<rootDir>/test/support/setup.ts'],
  };
}

const ofFlavour = ['flavour/**/*.test.{ts,tsx}'];

module.exports = {
  // The first draw loads much of React Native; a busy machine takes its time.
  testTimeout: 30_000,
  projects: [
    project('native', 'native', ['!(flavour|browser|yoga)/**/*.test.{ts,tsx}', '*.test.{ts,tsx}']),
    project('expo', 'expo', ofFlavour),
    project('react-native', 'react-native', ofFlavour),
  ],
};
