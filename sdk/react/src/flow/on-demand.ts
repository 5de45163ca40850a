// What few flows need, in one part: a part of its own for each would split what they share with `Flow` in pieces that
// compress worse than the whole.
export { PreviewBadge, PreviewSurface, previewWords } from '../preview/preview';
export { PaymentSurface } from './payment-surface';
