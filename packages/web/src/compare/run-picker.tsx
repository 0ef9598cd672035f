import { useDeferredValue, useState } from "react";
import { useRuns } from "../live/use-runs.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { AgentTile } from "../ui/agent-tile.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ago, shortId } from "../ui/format.ts";
import { shownState } from "../ui/run-state.ts";
import { StateChip } from "../ui/state-chip.tsx";
import { useNow } from "../ui/use-now.ts";
import styles from "./compare.module.css";

interface RunPickerProps {
  chosen: readonly string[];
  onPick: (runId: string) => void;
  onClose: () => void;
}

/** Chooses one more run. */
export function RunPicker({ chosen, onPick, onClose }: RunPickerProps) {
  const [words, setWords] = useState("");
  const wanted = useDeferredValue(words.trim());
  const { runs, state } = useRuns(wanted === "" ? {} : { q: wanted });
  const now = useNow(60_000);
  const found = runs.filter(({ run_id, parent_run_id }) => parent_run_id === undefined && !chosen.includes(run_id));
  return (
    <Dialog title="Add a run" onClose={onClose} form="wide">
      <div className={styles.picker}>
        <input
          type="search"
          aria-label="Filter runs"
          placeholder="Title, prompt, agent or path"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <ul>
          {found.slice(0, MOST).map((run) => (
            <li key={run.run_id}>
              <button type="button" onClick={() => onPick(run.run_id)}>
                <AgentTile agent={run.agent} />
                <span className={`cut ${styles.agentText}`}>
                  <VisibleText text={run.title ?? run.run_id} />
                </span>
                <StateChip state={shownState(run, now)} />
                <span className="dim num">{ago(run.created_at, now)}</span>
                <span className="dim mono no-phone">{shortId(run.run_id)}</span>
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="dim">{state === "loading" ? "…" : "No other run matches."}</p>}
        {found.length > MOST && <p className="dim">{`${found.length - MOST} more: filter to find them.`}</p>}
      </div>
    </Dialog>
  );
}

const MOST = 50;
