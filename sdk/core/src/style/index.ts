export * from './background';
export * from './color';
export * from './font';
export * from './responsive';
export * from './shadow';
export * from './variant';
