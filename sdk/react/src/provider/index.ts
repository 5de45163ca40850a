export * from './context';
export * from './functions';
export * from './provider';
