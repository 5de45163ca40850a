import { flavour } from '../native/flavour.tsdown';

export default flavour;
