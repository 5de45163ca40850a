/** Stands where a flow or a surface will be. */
export function Spinner({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} style={{ display: 'grid', placeContent: 'center', minHeight: 160 }}>
      <svg aria-hidden="true" width="28" height="28" viewBox="0 0 28 28">
        <circle cx="14" cy="14" r="11" fill="none" stroke="currentColor" strokeOpacity="0.25" strokeWidth="3" />
        <path d="M14 3a11 11 0 0 1 11 11" fill="none" stroke="currentColor" strokeWidth="3" strokeLinecap="round">
          <animateTransform
            attributeName="transform"
            type="rotate"
            from="0 14 14"
            to="360 14 14"
            dur="0.9s"
            repeatCount="indefinite"
          />
        </path>
      </svg>
    </div>
  );
}
