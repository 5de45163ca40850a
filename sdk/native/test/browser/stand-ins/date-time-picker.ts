/** Browsers have none of the system's pickers: dates are chosen with the renderer's own wheels. */
export default null;
