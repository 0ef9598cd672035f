import { useCallback, useMemo, useState } from "react";
import { useKeys } from "../../ui/keys.ts";
import { Loading } from "../../ui/loading.tsx";
import { storedSwitch, useStored } from "../../ui/stored.ts";
import { factsOf, reasonAgainst } from "../actions/availability.ts";
import { useControls } from "../actions/use-controls.ts";
import { Dock } from "../dock/dock.tsx";
import { RunTools } from "../head/run-tools.tsx";
import { Panel } from "../panel/panel.tsx";
import { RunContext, type RunFacts } from "../run-context.ts";
import type { RunScreenProps } from "../run-screen-props.ts";
import { createRowBuilder } from "./build-rows.ts";
import styles from "./conversation.module.css";
import { ConversationTools } from "./conversation-tools.tsx";
import type { Match } from "./find/search-rows.ts";
import { useFind } from "./find/use-find.ts";
import { nextStop, nextTurn, type Stop, stopsOf } from "./stops.ts";
import { NewBelow, Trail } from "./trail.tsx";
import { useOpening } from "./use-opening.ts";
import { createOpenness, OpennessContext } from "./use-openness.ts";
import { useTrail } from "./use-trail.ts";
import { useWaiting } from "./use-waiting.ts";

/** Whether thoughts are shown. It holds for all runs. */
const thoughts = storedSwitch("thoughts", false);

/** The conversation of a run: the trail, the panel beside it, and the dock below. */
export function Conversation({ runId, snapshot }: RunScreenProps) {
  const { view, state } = snapshot;
  const [buildRows] = useState(createRowBuilder);
  const rows = useMemo(() => buildRows(view), [buildRows, view]);
  const [stop, setStop] = useState<Stop>();
  const trail = useTrail(rows, stop?.key);
  const { show, follow, hold, toStart, virtualizer, list, isAtEnd } = trail;
  const [openness] = useState(() => createOpenness(hold));
  const showsThoughts = useStored(thoughts);

  const goTo = useCallback(
    ({ row, card }: Match, align: "auto" | "start" | "center" = "center") => {
      if (card) openness.open(card);
      show(row, align);
    },
    [openness, show],
  );
  const find = useFind(rows, list, goTo);

  const move = (step: 1 | -1) => {
    const next = nextStop(stopsOf(rows), stop, firstInView(list.current), step);
    if (!next) return;
    setStop(next);
    show(next.row);
    focusSoon(list.current, next);
  };
  const moveTurn = (step: 1 | -1) => {
    const index = nextTurn(rows, stop ? stop.row : firstInView(list.current), step);
    const row = rows[index];
    if (!row) return;
    setStop({ row: index, key: row.key });
    show(index, "start");
    focusSoon(list.current, { row: index, key: row.key });
  };
  const toggleHere = () => {
    const card = stop?.card === undefined ? "" : `[data-stop="${CSS.escape(stop.card)}"]`;
    const toggle = list.current?.querySelector<HTMLElement>(
      `[data-row="${CSS.escape(stop?.key ?? "")}"] ${card} [data-toggle]`,
    );
    if (!toggle) return false;
    toggle.click();
    return true;
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    "[": () => moveTurn(-1),
    "]": () => moveTurn(1),
    enter: toggleHere,
    space: toggleHere,
    "shift+e": () => openness.setAll(!(openness.all ?? false)),
    home: toStart,
    end: follow,
    r: () => document.querySelector<HTMLElement>("[data-reply]")?.focus(),
    f: find.open,
    h: () => thoughts.write(!thoughts.read()),
    escape: () => (find.isOpen ? find.close() : false),
  });

  const controls = useControls(view.agent ?? snapshot.record?.agent);
  const facts = factsOf(snapshot, controls);
  useOpening({
    ...{ state, isOver: facts.isOver, rows, follow, hold, show },
    onRow: (index) => setStop(rows[index] && { row: index, key: rows[index].key }),
  });
  const workspace = view.workspacePath ?? snapshot.record?.workspace_path;
  const { isPast, isOver } = facts;
  const canRetry = reasonAgainst("retry", facts) === undefined;
  const canRetryFromTurn = reasonAgainst("retryFromTurn", facts) === undefined;
  const context = useMemo(
    (): RunFacts => ({ runId, showsThoughts, controls, workspace, isPast, isOver, canRetry, canRetryFromTurn }),
    [runId, showsThoughts, controls, workspace, isPast, isOver, canRetry, canRetryFromTurn],
  );
  const waiting = useWaiting(rows, list, isPast);

  return (
    <RunContext value={context}>
      <OpennessContext value={openness}>
        <RunTools>
          <ConversationTools
            find={find}
            showsThoughts={showsThoughts}
            onThoughts={() => thoughts.write(!showsThoughts)}
          />
        </RunTools>
        <div className={styles.body}>
          <main id="main" className={styles.main}>
            {state === "loading" && rows.length === 0 ? <Loading /> : null}
            <Trail rows={rows} virtualizer={virtualizer} list={list} current={stop?.key} keysFor={waiting.inView} />
            {state === "ready" && rows.length === 0 && <p className="dim">Nothing has happened yet.</p>}
          </main>
          <Panel runId={runId} snapshot={snapshot} />
        </div>
        <Dock
          runId={runId}
          snapshot={snapshot}
          facts={facts}
          waiting={waiting.outOfView}
          onShow={(key) => {
            const index = rows.findIndex((row) => row.key === key);
            if (index !== -1) show(index, "center");
          }}
        >
          <NewBelow rows={rows.length} isAtEnd={isAtEnd} onClick={follow} />
        </Dock>
      </OpennessContext>
    </RunContext>
  );
}

/** The first row that is not hidden by the head. */
function firstInView(list: Element | null): number {
  for (const row of list?.children ?? []) {
    if (row.getBoundingClientRect().bottom > 200) return Number(row.getAttribute("data-index"));
  }
  return 0;
}

/** Gives the focus to a stop once its row is mounted. */
function focusSoon(list: Element | null, { key, card }: Stop, tries = 20): void {
  requestAnimationFrame(() => {
    const row = list?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
    const target = card ? row?.querySelector<HTMLElement>(`[data-stop="${CSS.escape(card)}"] [data-toggle]`) : row;
    if (target) target.focus({ preventScroll: card === undefined });
    else if (tries > 0) focusSoon(list, card === undefined ? { key, row: 0 } : { key, card, row: 0 }, tries - 1);
  });
}
