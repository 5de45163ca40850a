export * from './attribution-functions';
export * from './cache-functions';
export * from './context';
export * from './functions';
export * from './provider';
