module.exports = {
  presets: ['@react-native/babel-preset'],
  plugins: ['react-native-worklets/plugin'],
};
