import { useSyncExternalStore } from "react";
import { client } from "../../live/client.ts";
import { once } from "../../live/once.ts";
import { stored } from "../../ui/stored.ts";
import { draftOf } from "../drafts.ts";
import { createOutbox, type Outgoing } from "./outbox.ts";

/** The follow-up that this tab sends to a run, if any. */
export const useOutgoing = (runId: string): Outgoing | undefined =>
  useSyncExternalStore(outbox.subscribe, () => outbox.read(runId));

/** Of this tab only: another one must not take what is still being sent for lost. */
const memory = stored<Readonly<Record<string, string>>>(
  "sending",
  parse,
  (texts) => (Object.keys(texts).length === 0 ? null : JSON.stringify(texts)),
  "tab",
);

function parse(text: string | null): Readonly<Record<string, string>> {
  try {
    const known = JSON.parse(text ?? "{}") as Record<string, unknown>;
    const kept = Object.entries(known ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    return Object.fromEntries(kept);
  } catch {
    return {};
  }
}

export const outbox = createOutbox({
  draftOf,
  memory,
  send: (runId, text) =>
    once(["send", runId, text], (call) => client.runs.send(runId, { text }, { ...call, wait: 20 })),
});
