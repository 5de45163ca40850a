const Real = Date;
let shift = 0;

/** A date that says another time than the machine where it is asked for now. */
class Shifted extends Real {
  constructor(...given: []) {
    super(...((given.length === 0 ? [Real.now() + shift] : given) as []));
  }
  static override now() {
    return Real.now() + shift;
  }
}

/** Sets the clock of this document: what is drawn, what dates can be chosen, and when events happen. */
export function setClock(by: number) {
  shift = by;
  globalThis.Date = by === 0 ? Real : (Shifted as DateConstructor);
}
