import { type FormEvent, useEffect, useRef, useState } from "react";
import { Folder } from "../../text/folder.tsx";
import { VisibleText } from "../../text/visible-text.tsx";
import { Counts } from "../../ui/counts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import styles from "./changes.module.css";
import { words } from "./patch-buttons.tsx";
import type { Verb } from "./patch-requests.ts";

export interface AskedFile {
  readonly path: string;
  readonly additions: number;
  readonly deletions: number;
}

interface AskDialogProps {
  verb: Verb;
  files: readonly AskedFile[];
  /** Only one hunk, counted from 0. */
  hunk?: number | undefined;
  /** Whether the agent gets the word of a rejection now. */
  isLive: boolean;
  /** The folder that is written to, if it is not the run's own. */
  where?: string | undefined;
  /** Why it did not work, if it was tried. */
  error?: string | undefined;
  /** What was written although it did not work. */
  outcome?: string | undefined;
  isSending?: boolean;
  onClose: () => void;
  onDo: (word?: string) => void;
}

/** Asks before files are written, and for a word when a change is rejected. Lists every file. */
export function AskDialog({
  verb,
  files,
  hunk,
  isLive,
  where,
  error,
  outcome = "Nothing was written.",
  isSending = false,
  onClose,
  onDo,
}: AskDialogProps) {
  const [word, setWord] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  // An opened dialog focuses its first button, which closes it. Whoever asked for this wants to go on.
  useEffect(() => (field.current ?? button.current)?.focus(), []);
  const { word: name, icon } = words[verb];
  const what = hunk === undefined ? plural(files.length, "file") : `hunk ${hunk + 1}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isSending) onDo(word);
  };
  return (
    <Dialog
      title={
        files.length === 1 ? `${name} ${hunk === undefined ? "this change" : `hunk ${hunk + 1}`}?` : `${name} ${what}?`
      }
      onClose={onClose}
    >
      <form className={styles.ask} onSubmit={submit}>
        <p>{tells[verb][files.length > 1 ? 1 : 0]}</p>
        {where !== undefined && (
          <p>
            Written to <Folder path={where} className={`mono ${styles.agentText}`} />
          </p>
        )}
        <ul className={styles.askFiles}>
          {files.map(({ path, ...counts }) => (
            <li key={path}>
              <span className={`mono ${styles.agentText}`}>
                <VisibleText text={path} />
              </span>
              <Counts {...counts} />
            </li>
          ))}
        </ul>
        {verb === "reject" && (
          <label className={styles.word}>
            <span>A word for the agent, if you like</span>
            <textarea ref={field} rows={3} value={word} onChange={(event) => setWord(event.target.value)} />
            <small>{isLive ? "The agent gets it now." : "The run is over, so the word is kept with the change."}</small>
          </label>
        )}
        {error && (
          <p className={styles.conflict} role="alert">
            <Icon name="failed" small />
            <span>
              <VisibleText text={error} /> <VisibleText text={outcome} />
            </span>
          </p>
        )}
        <div className={styles.askButtons}>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button ref={button} type="submit" className="btn primary" aria-disabled={isSending}>
            <Icon name={isSending ? "working" : icon} small />
            {isSending ? "Sending" : `${name} ${files.length === 1 ? "" : what}`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What will happen to one file, and to several. */
const tells: Readonly<Record<Verb, readonly [one: string, several: string]>> = {
  apply: [
    "The change is written to the file on disk. If the file is not as the change needs it, nothing is written.",
    "The changes are written to the files on disk. If one of them is not as its change needs it, nothing is written.",
  ],
  revert: [
    "The change is taken back out of the file on disk. If the file changed since, nothing is written.",
    "The changes are taken back out of the files on disk. If one of them changed since, nothing is written.",
  ],
  reject: [
    "No file is touched. The change will not be applied.",
    "No file is touched. The changes will not be applied.",
  ],
};
