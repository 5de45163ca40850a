declare module 'virtual:svc-dev' {
  const service: import('./service').DevService | null;
  export default service;
}
