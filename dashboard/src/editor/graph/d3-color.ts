/** In the place of d3-color: the graph animates where it is looked at from, and nothing of it is a color. What d3 asks
 * whether it is an instance of this is none, so it is no arrow function. */
function none() {
  return null;
}

export { none as color, none as cubehelix, none as hcl, none as hsl, none as lab, none as rgb };
