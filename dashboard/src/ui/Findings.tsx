import type { Finding } from '../graphql/problems';
import styles from './Findings.module.css';

type Shown = Pick<Finding, 'pointer' | 'message' | 'code'> & { severity: string };

type Props = {
  findings: readonly Shown[];
  go?: (pointer: string) => void;
  /** Says what a place is called where the document is not shown. */
  name?: (pointer: string) => string;
};

/** What is wrong with a JSON document, each with its place; `go` jumps there. */
export function Findings({ findings, go, name }: Props) {
  if (findings.length === 0) return null;
  return (
    <ul className={styles.findings} aria-label="Problems">
      {findings.map((finding) => (
        <li
          key={`${finding.pointer} ${finding.code} ${finding.message}`}
          data-severity={finding.severity.toLowerCase()}
        >
          {go ? (
            <button type="button" onClick={() => go(finding.pointer)}>
              {name?.(finding.pointer) ?? (finding.pointer || '/')}
            </button>
          ) : (
            <code>{finding.pointer || '/'}</code>
          )}
          <span>{finding.message}</span>
        </li>
      ))}
    </ul>
  );
}
