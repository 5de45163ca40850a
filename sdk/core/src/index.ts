export * from './flow/index';
export type * from './manifest/types';
