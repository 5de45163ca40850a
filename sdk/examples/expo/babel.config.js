// The preset finds the worklets plugin by itself.
module.exports = { presets: ['babel-preset-expo'] };
