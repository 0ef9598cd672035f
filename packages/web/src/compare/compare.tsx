import { useMemo, useState } from "react";
import { useSearch } from "wouter";
import { navigate } from "wouter/use-browser-location";
import type { RunSnapshot } from "../live/run-snapshot.ts";
import { routes } from "../routes.ts";
import { Icon } from "../ui/icon.tsx";
import { Loading } from "../ui/loading.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { useNow } from "../ui/use-now.ts";
import styles from "./compare.module.css";
import { CompareChanges } from "./compare-changes.tsx";
import { Legend, Prompt } from "./compare-head.tsx";
import { CompareTable } from "./compare-table.tsx";
import { CopyLink } from "./copy-link.tsx";
import { costNote, lengthOf } from "./figures.ts";
import { RunPicker } from "./run-picker.tsx";
import { stripOf } from "./time-strip.ts";
import { useRunChanges } from "./use-run-changes.ts";
import { WithRuns } from "./with-runs.tsx";

/** How many runs fit beside each other. */
const MOST_RUNS = 4;

/** Two to four runs side by side: what each took, cost and changed. */
export default function Compare() {
  usePageTitle("Compare");
  const asked = [...new Set(new URLSearchParams(useSearch()).getAll("run").filter(Boolean))];
  const ids = asked.slice(0, MOST_RUNS);
  const [isPicking, setPicking] = useState(false);
  const go = (next: readonly string[]) => navigate(routes.compare(next));
  return (
    <main id="main" className="page">
      <div className="page-head">
        <h1>Compare</h1>
        <span className="push" />
        {ids.length > 0 && ids.length < MOST_RUNS && (
          <button type="button" className="btn" onClick={() => setPicking(true)}>
            <Icon name="plus" small />
            Add a run
          </button>
        )}
        {ids.length > 0 && <CopyLink />}
      </div>
      {asked.length > MOST_RUNS && (
        <p className={styles.note}>
          <Icon name="question" small />
          {`The link names ${asked.length} runs. The first ${MOST_RUNS} are compared.`}
        </p>
      )}
      {ids.length === 0 ? (
        <Empty onPick={() => setPicking(true)} />
      ) : (
        <WithRuns ids={ids}>
          {(snapshots) => (
            <Compared ids={ids} snapshots={snapshots} onRemove={(id) => go(ids.filter((one) => one !== id))} />
          )}
        </WithRuns>
      )}
      {isPicking && (
        <RunPicker
          chosen={ids}
          onClose={() => setPicking(false)}
          onPick={(id) => {
            setPicking(false);
            go([...ids, id]);
          }}
        />
      )}
    </main>
  );
}

function Empty({ onPick }: { onPick: () => void }) {
  return (
    <div className={`card ${styles.empty}`}>
      <p>
        Choose two to four runs to see side by side what each took, cost and changed. Choose them here, or in the list
        of runs: press <kbd>X</kbd> on each, then <kbd>C</kbd>.
      </p>
      <button type="button" className="btn primary" onClick={onPick}>
        <Icon name="plus" small />
        Choose a run
      </button>
    </div>
  );
}

interface ComparedProps {
  ids: readonly string[];
  snapshots: readonly RunSnapshot[];
  onRemove: (id: string) => void;
}

function Compared({ ids, snapshots, onRemove }: ComparedProps) {
  const isLive = snapshots.some(({ record }) => record && record.ended_at === undefined);
  const now = useNow(isLive ? 1000 : 60_000);
  const columns = useMemo(
    () =>
      ids.map((id, index) => {
        const { record, view, spans, state } = snapshots[index] as RunSnapshot;
        const length = record ? lengthOf({ record }, now) : 0;
        return { id, record, view, state, spans, length, strip: spans ? stripOf(spans, length) : [] };
      }),
    [ids, snapshots, now],
  );
  const runs = useMemo(
    () =>
      ids.flatMap((runId, index) => {
        const { record, view, state } = snapshots[index] as RunSnapshot;
        return state === "ready" ? [{ runId, taskId: record?.task_id, view }] : [];
      }),
    [ids, snapshots],
  );
  const changed = useRunChanges(runs);
  const found = columns.flatMap(({ record, view }) => (record ? [{ record, view }] : []));
  if (columns.every(({ state }) => state === "loading")) return <Loading />;
  const note = costNote(found);
  return (
    <>
      <div className={styles.prompt}>
        <Prompt columns={columns} />
        <span className="push" />
        <Legend strips={columns.map(({ strip }) => strip)} />
      </div>
      <CompareTable columns={columns} changed={changed} now={now} onRemove={onRemove} />
      {note && (
        <p className={styles.note}>
          <Icon name="question" small />
          <span>{note}</span>
        </p>
      )}
      {ids.length === 1 && (
        <p className={styles.note}>
          <Icon name="question" small />
          <span>Add another run to compare this one with.</span>
        </p>
      )}
      <CompareChanges columns={columns} changed={changed} />
    </>
  );
}
