export * from './clip';
export * from './easing';
export * from './resting';
