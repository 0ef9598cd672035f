import type { CurrentFileRecord } from "@spoor/protocol/client";
import { useState } from "react";
import { Diff } from "../../diff/diff.tsx";
import { client } from "../../live/client.ts";
import { VisibleText } from "../../text/visible-text.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Change, ChangedFile } from "./changed-files.ts";
import styles from "./changes.module.css";
import { words } from "./patch-buttons.tsx";
import type { PatchRequest } from "./patch-requests.ts";
import { dismissRequest } from "./wishes.ts";

interface RequestNoteProps {
  runId: string;
  file: ChangedFile;
  changes: readonly Change[];
  request: PatchRequest | undefined;
}

/** Says on the file why a request was not carried out, and shows what is in the file now. */
export function RequestNote({ runId, file, changes, request }: RequestNoteProps) {
  const [now, setNow] = useState<CurrentFileRecord | "loading" | "failed">();
  if (!request || request.phase === "sending") return null;
  const patch = changes.findLast((change) => change.patch)?.patch;
  const look = async () => {
    if (!patch) return;
    setNow("loading");
    setNow(await client.artifacts.file(patch.id).catch(() => "failed" as const));
  };
  const isConflict = request.phase === "conflict";
  return (
    <>
      <div className={styles.conflict} role="alert">
        <Icon name="failed" small />
        <span>
          <b>
            Cannot be {words[request.verb].past} {isConflict ? "as it is" : "now"}.
          </b>{" "}
          {isConflict ? (
            `${conflictWords[request.verb]} Nothing was written.`
          ) : (
            <VisibleText text={request.told ?? ""} />
          )}
        </span>
        <span className="push" />
        {isConflict && patch && (
          <button
            type="button"
            className="btn small"
            aria-expanded={typeof now === "object"}
            onClick={() => (now ? setNow(undefined) : void look())}
          >
            {now ? "Hide" : "Show what changed"}
          </button>
        )}
        <button
          type="button"
          className="btn quiet small icon"
          aria-label="Dismiss"
          onClick={() => {
            setNow(undefined);
            dismissRequest({ runId, path: file.path });
          }}
        >
          <Icon name="cross" small />
        </button>
      </div>
      {now !== undefined && isConflict && <Newer now={now} path={file.path} />}
    </>
  );
}

const conflictWords = {
  apply: "The file on disk is not as the change needs it.",
  revert: "The file changed on disk after the agent wrote it.",
  reject: "Somebody else was first.",
} as const;

function Newer({ now, path }: { now: CurrentFileRecord | "loading" | "failed"; path: string }) {
  if (now === "loading") return <p className={styles.reason}>Reading the file…</p>;
  if (now === "failed") return <p className={styles.reason}>The file could not be read.</p>;
  return (
    <section className={styles.newer} aria-label="What changed on disk since">
      <p className={styles.reason}>{tellOf(now)}</p>
      {now.diff !== undefined && <Diff text={now.diff} label={`${path}, what changed on disk since`} />}
    </section>
  );
}

function tellOf({ exists, is_expected, diff, omitted }: CurrentFileRecord): string {
  if (is_expected) return "The file is as the change needs it now. Try again.";
  if (omitted === "secret") return "The file differs. It holds secrets, so its text is not shown.";
  if (omitted === "too_large") return "The file differs. It is too large to be compared here.";
  if (!exists) return "The file is not there any more.";
  return diff === undefined ? "The file differs." : "In the file now, compared with what the change needs:";
}
