import styles from './Preview.module.css';
import { qrOf } from './qr';

/** A QR code, dark on light in any theme, with the margin that cameras look for. */
export function Code({ text }: { text: string }) {
  const rows = qrOf(text);
  if (!rows) return <p className={styles.none}>The address is too long for a QR code.</p>;
  const size = rows.length + 8;
  const path = rows
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + 4} ${y + 4}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={styles.code} role="img" aria-label="QR code of the link">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
