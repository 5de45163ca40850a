/** The root of a flow. The id that it does not have lends its rules weight above those of the page around it. */
const S = '.svc-screen:not(#svc#svc)';
/** The box around it. */
const FLOW = '.svc-flow:not(#svc#svc)';

/**
 * What inline styles cannot say: resets, pseudo elements, press feedback and focus rings. One rule set for all
 * renderers of a page; every selector but the first, of the box that classes of the host may dress, starts at the root.
 *
 * Nothing of the page's own rules gets in, inherited or by the names of elements: the root starts from the initial
 * value of every property, and what is inside it from the browser's own look. It floats because underlines, which do
 * not inherit, spread to whatever stands in the flow of the page. Only `!important` is beyond it.
 */
export const STYLESHEET = `
div:where(.svc-flow){all:revert;display:flow-root;width:100%;height:100%;min-height:0}
@media (prefers-color-scheme:dark){div.svc-only-light{display:none!important}}
@media not (prefers-color-scheme:dark){div.svc-only-dark{display:none!important}}
${S} :where(:not(svg,svg *)){all:revert}
${S} :is(svg,svg *){all:revert-layer}
${S}{all:initial;float:inline-start;position:relative;isolation:isolate;display:flex;flex-direction:column;width:100%;height:100%;min-height:0;overflow:hidden;font-size:16px;line-height:1.3;text-align:start;-webkit-text-size-adjust:100%;outline:none}
${S},${S} *{box-sizing:border-box}
${S} [hidden]{display:none}
${FLOW}::before,${FLOW}::after,${FLOW} ::before,${FLOW} ::after{content:none}
${S} .svc-body{display:flex;flex-direction:column;flex:1 1 auto;min-height:0;overflow-x:hidden;overflow-y:auto;-webkit-overflow-scrolling:touch}
${S} .svc-text{display:block;white-space:pre-wrap;overflow-wrap:break-word}
${S}:is(:lang(ar),:lang(ckb),:lang(fa),:lang(ps),:lang(ur)) *{letter-spacing:normal!important}
${S} button,${S} input,${S} select,${S} textarea{appearance:none;-webkit-appearance:none;margin:0;font:inherit;letter-spacing:inherit;color:inherit}
${S} button{background-color:transparent;border:0;padding:0;text-align:inherit;cursor:pointer}
${S} a{color:inherit;text-decoration:none}
${S} [aria-disabled=true],${S} :disabled{cursor:default}
${S} .svc-field{display:block;width:100%;min-width:0;min-height:0}
${S} textarea.svc-field{resize:vertical}
${S} select.svc-field{background-image:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 14 14' fill='none' stroke='%2371717a' stroke-width='2' stroke-linecap='round'%3E%3Cpath d='m3 5 4 4 4-4'/%3E%3C/svg%3E");background-repeat:no-repeat;background-position:right 10px center;background-size:14px;padding-inline-end:30px!important;text-overflow:ellipsis}
${S}[dir=rtl] fieldset select.svc-field{background-position:left 10px center}
${S} .svc-field::placeholder{all:revert;color:var(--svc-placeholder);opacity:1}
${S} :focus-visible,${S} .svc-field:focus{outline:2px solid var(--svc-focus,#2563eb);outline-offset:2px}
${S} .svc-field:focus{outline-offset:-1px}
${S} .svc-field[aria-invalid=true]{border-color:var(--svc-problem)!important}
${S} .svc-press{transition:scale .12s ease-out,filter .12s ease-out;-webkit-tap-highlight-color:transparent;touch-action:manipulation}
${S} .svc-press:active:not([aria-disabled=true]):not(:disabled){scale:.97;filter:opacity(.85);transition-duration:.08s}
${S} .svc-pager{display:flex;overflow-x:auto;overflow-y:hidden;scroll-snap-type:x mandatory;scrollbar-width:none;overscroll-behavior-x:contain}
${S} .svc-pager::-webkit-scrollbar{display:none}
${S} .svc-wheel{position:relative;overflow-y:auto;scroll-snap-type:y mandatory;scrollbar-width:none;overscroll-behavior:contain}
${S} .svc-wheel::-webkit-scrollbar{display:none}
${S} .svc-range{width:100%;background:transparent;height:max(var(--svc-track),var(--svc-thumb));cursor:pointer}
${S} .svc-range::-webkit-slider-runnable-track{height:var(--svc-track);border-radius:999px;background:var(--svc-range)}
${S} .svc-range::-moz-range-track{height:var(--svc-track);border-radius:999px;background:var(--svc-range)}
${S} .svc-range::-webkit-slider-thumb{-webkit-appearance:none;width:var(--svc-thumb);height:var(--svc-thumb);margin-top:calc((var(--svc-track) - var(--svc-thumb)) / 2);border:0;border-radius:50%;background:var(--svc-thumb-color)}
${S} .svc-range::-moz-range-thumb{width:var(--svc-thumb);height:var(--svc-thumb);border:0;border-radius:50%;background:var(--svc-thumb-color)}
${S} .svc-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
${S} .svc-spinner{display:inline-block;width:1em;height:1em;border:2px solid currentColor;border-inline-end-color:transparent;border-radius:50%;animation:svc-spin .8s linear infinite}
@keyframes svc-spin{to{rotate:360deg}}
@media (prefers-reduced-motion:reduce){${S} .svc-press{transition:none}${S} .svc-press:active{scale:1!important}${S} .svc-spinner{animation-duration:3s}}
@media (forced-colors:active){${S} [aria-checked=true],${S} [aria-selected=true]{outline:2px solid Highlight}}
`;
