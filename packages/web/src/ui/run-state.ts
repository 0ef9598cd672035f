import type { RunView } from "@spoor/protocol";
import { STALLED_AFTER_MS } from "@spoor/protocol/api/values";
import type { RunRecord } from "@spoor/protocol/client";
import type { IconName } from "./icon.tsx";

/** A state as people see it: the same word and icon in the list, the head, the inbox and the title of the tab. */
export interface ShownState {
  readonly id: ShownStateId;
  readonly word: string;
  readonly icon: IconName;
  readonly tone: "working" | "needs" | "done" | "failed" | "stalled" | "idle";
  /** `needs`: a person must act. `going`: it goes on by itself. `over`: nothing more happens. */
  readonly group: "needs" | "going" | "over";
}

export type ShownStateId = keyof typeof table;

/** Milliseconds of silence after which a working run is called quiet. After `STALLED_AFTER_MS` it is stalled. */
const QUIET_AFTER_MS = 60_000;

/** The state of a run, from its row in the list or from its view. `now` is in epoch milliseconds. */
export function shownState(run: RunRecord | RunView, now: number): ShownState {
  return shownStates[idOf(factsOf(run), now)];
}

/** How long a working run has been silent, in milliseconds, once that is worth a word. */
export function silentFor(run: RunRecord | RunView, now: number): number | undefined {
  const { state, heard } = factsOf(run);
  if (state !== "working" || heard === undefined) return undefined;
  const silence = now - Date.parse(heard);
  return silence >= QUIET_AFTER_MS ? silence : undefined;
}

const table = {
  queued: { word: "Queued", icon: "clock", tone: "idle", group: "going" },
  working: { word: "Working", icon: "working", tone: "working", group: "going" },
  needs_you: { word: "Needs you", icon: "needs", tone: "needs", group: "needs" },
  question: { word: "Question", icon: "needs", tone: "needs", group: "needs" },
  paused: { word: "Paused", icon: "needs", tone: "needs", group: "needs" },
  stalled: { word: "Stalled", icon: "stalled", tone: "stalled", group: "going" },
  done: { word: "Done", icon: "done", tone: "done", group: "over" },
  cancelled: { word: "Cancelled", icon: "minus", tone: "idle", group: "over" },
  failed: { word: "Failed", icon: "failed", tone: "failed", group: "over" },
} as const satisfies Record<string, Omit<ShownState, "id">>;

/** All states, by their id. */
const shownStates: { readonly [Id in ShownStateId]: ShownState } = Object.fromEntries(
  Object.entries(table).map(([id, state]) => [id, { id, ...state }]),
  // The keys of the table are the ids.
) as { [Id in ShownStateId]: ShownState };

interface Facts {
  readonly status: string;
  readonly state: string;
  readonly paused: boolean;
  readonly asks: "approval" | "question" | undefined;
  /** When it was last heard of. */
  readonly heard: string | undefined;
  /** The server saw that it is silent although its process lives. */
  readonly stalled: boolean;
}

function idOf({ status, state, paused, asks, heard, stalled }: Facts, now: number): ShownStateId {
  if (status === "cancelled") return "cancelled";
  if (state === "error" || status === "failed") return "failed";
  if (state === "done" || status === "completed") return "done";
  if (state === "blocked")
    return asks ? (asks === "question" ? "question" : "needs_you") : paused ? "paused" : "needs_you";
  if (state === "idle") return "queued";
  const isSilent = heard !== undefined && now - Date.parse(heard) >= STALLED_AFTER_MS;
  return stalled || isSilent ? "stalled" : "working";
}

const factsOf = (run: RunRecord | RunView): Facts => ("run_id" in run ? ofRecord(run) : ofView(run));

function ofRecord(run: RunRecord): Facts {
  const isOver = run.ended_at !== undefined;
  return {
    status: run.status,
    state: run.state ?? stateByStatus[run.status],
    paused: run.paused === true,
    // The server begins the line of a question with these words.
    asks: (run.pending ?? 0) === 0 ? undefined : run.now?.startsWith("asks: ") ? "question" : "approval",
    heard: isOver ? undefined : (run.last_activity ?? run.updated_at),
    stalled: run.stalled === true,
  };
}

function ofView(view: RunView): Facts {
  const asksPermission = view.approvals.some(({ status }) => status === "pending");
  const asksQuestion = view.questions.some(({ status }) => status === "pending");
  return {
    status: view.status,
    state: view.state,
    paused: view.status === "paused",
    asks: asksPermission ? "approval" : asksQuestion ? "question" : undefined,
    heard: view.updatedAt,
    stalled: false,
  };
}

/** For records of servers that do not derive the state. */
const stateByStatus: Record<RunRecord["status"], NonNullable<RunRecord["state"]>> = {
  queued: "idle",
  awaiting_approval: "blocked",
  running: "working",
  completed: "done",
  failed: "error",
  cancelled: "done",
};
