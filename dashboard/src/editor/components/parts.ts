// What is loaded when components are first used, as one part: it is smaller than several.
export { followComponents, updateFromInstance } from './acts';
export { Dialogs } from './Dialogs';
export { InstancePanel } from './InstancePanel';
