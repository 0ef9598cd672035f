import { SpoorClientError } from "@spoor/protocol/client";
import { createKeyedCell } from "../../ui/store.ts";

/** What can be done with a patch. */
export type Verb = "apply" | "reject" | "revert";

/**
 * What this tab asked for, by the path or patch that it is about.
 *
 * - `sending`: from the press until the new record was read.
 * - `conflict`: the file is not as the patch needs it. Nothing was written.
 * - `failed`: the request was refused or did not reach the server. `told` says why.
 */
export interface PatchRequest {
  readonly phase: "sending" | "conflict" | "failed";
  readonly verb: Verb;
  /** Absent: the whole patch. */
  readonly hunk?: number;
  readonly told?: string;
}

export interface Asked {
  readonly verb: Verb;
  readonly hunk?: number | undefined;
  /** Sends the request. */
  readonly send: () => Promise<unknown>;
  /** Resolves when the result is shown. */
  readonly settled: () => Promise<void>;
}

/** The requests of this tab, so that every place that shows a file says the same about it. */
export function createPatchRequests() {
  const { read, set, subscribe } = createKeyedCell<PatchRequest>();
  return {
    read,
    subscribe,
    dismiss: (key: string): void => set(key, undefined),
    /** Asks for a change. While one is on its way, another one of the same file is ignored. */
    async ask(key: string, { verb, hunk, send, settled }: Asked): Promise<void> {
      if (read(key)?.phase === "sending") return;
      const shared = { verb, ...(hunk !== undefined && { hunk }) };
      set(key, { phase: "sending", ...shared });
      try {
        await send();
        await settled();
        set(key, undefined);
      } catch (error) {
        await settled().catch(() => {});
        set(key, { ...shared, ...failureOf(error) });
      }
    },
  };
}

function failureOf(error: unknown): Pick<PatchRequest, "phase" | "told"> {
  if (!(error instanceof SpoorClientError)) throw error;
  const { code, message, hint } = error;
  if (code === "conflict") return { phase: "conflict", told: message };
  const known = words[code];
  return { phase: "failed", told: known ?? [message, hint].filter(Boolean).join(" ") };
}

/** What the page says better than the server, because the reader sees the file. */
const words: Readonly<Record<string, string>> = {
  workspace_busy:
    "A run works in this folder now, so its files are not changed. Wait until it has ended, or cancel it.",
  wrong_status: "Somebody else decided about this change meanwhile.",
  network:
    "The server could not be reached, so it is not known whether it was written. Trying again does it only once.",
};
