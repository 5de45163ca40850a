/** Written by `metro.config.js`, see `../../service.cjs`. */
declare module 'svc-service' {
  const service: {
    apiBaseUrl: string;
    /** Empty when `svc dev` has not been started. */
    publishableKey: string;
    channels: readonly { id: string; name: string; state: string }[];
  };
  export default service;
}
