/**
 * What inline styles cannot say: resets, pseudo elements, press feedback and focus rings. One rule set for all
 * renderers of a page; every selector starts below `.svc-screen`.
 */
export const STYLESHEET = `
.svc-screen,.svc-screen *{box-sizing:border-box}
.svc-screen{position:relative;isolation:isolate;display:flex;flex-direction:column;width:100%;height:100%;min-height:0;overflow:hidden;font-size:16px;line-height:1.3;text-align:start;-webkit-text-size-adjust:100%;outline:none}
.svc-screen .svc-body{display:flex;flex-direction:column;flex:1 1 auto;min-height:0;overflow-x:hidden;overflow-y:auto;-webkit-overflow-scrolling:touch}
.svc-screen .svc-text{display:block;white-space:pre-wrap;overflow-wrap:break-word}
.svc-screen button,.svc-screen input,.svc-screen select,.svc-screen textarea{appearance:none;-webkit-appearance:none;margin:0;font:inherit;letter-spacing:inherit;color:inherit}
.svc-screen button{background-color:transparent;border:0;padding:0;text-align:inherit;cursor:pointer}
.svc-screen a{color:inherit;text-decoration:none}
.svc-screen [aria-disabled=true],.svc-screen :disabled{cursor:default}
.svc-screen .svc-field{display:block;width:100%;min-width:0;min-height:0}
.svc-screen textarea.svc-field{resize:vertical}
.svc-screen select.svc-field{background-image:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 14 14' fill='none' stroke='%2371717a' stroke-width='2' stroke-linecap='round'%3E%3Cpath d='m3 5 4 4 4-4'/%3E%3C/svg%3E");background-repeat:no-repeat;background-position:right 10px center;background-size:14px;padding-inline-end:30px!important;text-overflow:ellipsis}
.svc-screen[dir=rtl] fieldset select.svc-field{background-position:left 10px center}
.svc-screen .svc-field::placeholder{color:var(--svc-placeholder);opacity:1}
.svc-screen :focus-visible,.svc-screen .svc-field:focus{outline:2px solid var(--svc-focus,#2563eb);outline-offset:2px}
.svc-screen .svc-field:focus{outline-offset:-1px}
.svc-screen .svc-field[aria-invalid=true]{border-color:var(--svc-problem)!important}
.svc-screen .svc-press{transition:scale .12s ease-out,filter .12s ease-out;-webkit-tap-highlight-color:transparent;touch-action:manipulation}
.svc-screen .svc-press:active:not([aria-disabled=true]):not(:disabled){scale:.97;filter:opacity(.85);transition-duration:.08s}
.svc-screen .svc-pager{display:flex;overflow-x:auto;overflow-y:hidden;scroll-snap-type:x mandatory;scrollbar-width:none;overscroll-behavior-x:contain}
.svc-screen .svc-pager::-webkit-scrollbar{display:none}
.svc-screen .svc-wheel{position:relative;overflow-y:auto;scroll-snap-type:y mandatory;scrollbar-width:none;overscroll-behavior:contain}
.svc-screen .svc-wheel::-webkit-scrollbar{display:none}
.svc-screen .svc-range{width:100%;background:transparent;height:max(var(--svc-track),var(--svc-thumb));cursor:pointer}
.svc-screen .svc-range::-webkit-slider-runnable-track{height:var(--svc-track);border-radius:999px;background:var(--svc-range)}
.svc-screen .svc-range::-moz-range-track{height:var(--svc-track);border-radius:999px;background:var(--svc-range)}
.svc-screen .svc-range::-webkit-slider-thumb{-webkit-appearance:none;width:var(--svc-thumb);height:var(--svc-thumb);margin-top:calc((var(--svc-track) - var(--svc-thumb)) / 2);border:0;border-radius:50%;background:var(--svc-thumb-color)}
.svc-screen .svc-range::-moz-range-thumb{width:var(--svc-thumb);height:var(--svc-thumb);border:0;border-radius:50%;background:var(--svc-thumb-color)}
.svc-screen .svc-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.svc-screen .svc-spinner{display:inline-block;width:1em;height:1em;border:2px solid currentColor;border-inline-end-color:transparent;border-radius:50%;animation:svc-spin .8s linear infinite}
@keyframes svc-spin{to{rotate:360deg}}
@media (prefers-reduced-motion:reduce){.svc-screen .svc-press{transition:none}.svc-screen .svc-press:active{scale:1!important}.svc-screen .svc-spinner{animation-duration:3s}}
@media (forced-colors:active){.svc-screen [aria-checked=true],.svc-screen [aria-selected=true]{outline:2px solid Highlight}}
`;
