// What few flows need, in one part: a part of its own for each would split what they share with `Flow` in pieces that
// compress worse than the whole.
export { PreviewBadge, previewWords } from '../preview/preview';
export { LoadedSurface } from './loaded-surface';
