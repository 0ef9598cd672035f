import type { Envelope } from "@spoor/protocol";
import { VisibleText } from "../../../text/visible-text.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { clockTime, count } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useOpen } from "../use-openness.ts";
import styles from "./rows.module.css";

/** Lines of JSON that are shown at once. */
const SHORT = 12;

/** An event that this page does not know: its type, where it stands, and its JSON. */
export function OpaqueCard({ envelope }: { envelope: Envelope }) {
  const json = JSON.stringify(envelope.data, null, 2) ?? "";
  const [isOpen, toggle] = useOpen(`opaque ${envelope.sequence}`, json.split("\n").length <= SHORT);
  return (
    <div className={`card ${styles.opaque}`}>
      <header>
        <Icon name="question" small />
        <span className="mono cut">
          <VisibleText text={envelope.type} />
        </span>
        <span className="dim num">
          #{count(envelope.sequence)} · {clockTime(envelope.occurred_at)}
        </span>
        <span className="push" />
        <button type="button" className="btn quiet small" aria-expanded={isOpen} onClick={toggle} data-toggle>
          {isOpen ? "Hide" : "Show"}
        </button>
        <CopyButton text={JSON.stringify(envelope, null, 2)} label="Copy the event">
          Copy
        </CopyButton>
      </header>
      {isOpen && (
        <pre>
          <VisibleText text={json.slice(0, 100_000)} />
        </pre>
      )}
    </div>
  );
}
