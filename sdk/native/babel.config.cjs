// Babel as a React Native app sets it up; the worklets plugin has to come last.
module.exports = {
  presets: [require.resolve('@react-native/babel-preset')],
  plugins: [require.resolve('react-native-worklets/plugin')],
};
