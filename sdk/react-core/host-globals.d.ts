// What browsers, React Native and servers all have. Everything else comes from the flavour.
declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare function requestAnimationFrame(callback: () => void): number;
declare function cancelAnimationFrame(frame: number): void;
declare const performance: { now(): number };
