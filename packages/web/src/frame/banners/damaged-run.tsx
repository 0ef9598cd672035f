import type { RunRecord } from "@spoor/protocol/client";
import { CopyButton } from "../../ui/copy.tsx";
import styles from "./banner.module.css";
import { Banner } from "./banner.tsx";

/** Says that the row of a run does not match its events. */
export function DamagedRun({ record }: { record: RunRecord | undefined }) {
  if (!record?.damaged) return null;
  const command = `npx spoor verify ${record.run_id}`;
  return (
    <div className={styles.inPage}>
      <Banner
        tone="bad"
        icon="failed"
        title="This record is damaged."
        action={
          <CopyButton text={command} label={`Copy the command: ${command}`}>
            Copy the command to verify
          </CopyButton>
        }
      >
        Its list entry does not match; the events below are what counts.
      </Banner>
    </div>
  );
}
