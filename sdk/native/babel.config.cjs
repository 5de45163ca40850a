// Babel as a React Native app sets it up, and `import()` as Metro does; the worklets plugin has to come last.
module.exports = {
  presets: [require.resolve('@react-native/babel-preset')],
  plugins: [require.resolve('./test/support/dynamic-import.cjs'), require.resolve('react-native-worklets/plugin')],
};
