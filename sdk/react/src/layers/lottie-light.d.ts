// The ESM build spares apps the CommonJS helpers of their bundler; only the build beside it has types.
declare module 'lottie-web/build/player/esm/lottie_light.min.js' {
  export { default } from 'lottie-web/build/player/lottie_light.js';
}
