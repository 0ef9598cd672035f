import type { Envelope } from "@spoor/protocol";
import styles from "../../run/conversation/rows/rows.module.css";
import { VisibleText } from "../../text/visible-text.tsx";
import { clockTime, count } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";

/** An event that the page does not know: its type, where it stands, and its JSON. */
export function OpaqueCard({ envelope }: { envelope: Envelope }) {
  return (
    <details className={`card ${styles.opaque}`}>
      <summary>
        <header>
          <Icon name="question" small />
          <span className="mono cut">
            <VisibleText text={envelope.type} />
          </span>
          <span className="dim num">
            #{count(envelope.sequence)} · {clockTime(envelope.occurred_at)}
          </span>
        </header>
      </summary>
      <pre>
        <VisibleText text={JSON.stringify(envelope.data, null, 2) ?? ""} />
      </pre>
    </details>
  );
}
