import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { LoginLinkAnswer } from "@spoor/protocol/api";
import { ExitError } from "../exit-error.ts";
import { visible } from "../visible.ts";
import { type Claim, claimDirectory, findServer, type ServerNote } from "./claim.ts";

export interface RunningServer extends ServerNote {
  login_url: string;
  expires_at: string;
}

/** The server of a data directory with a fresh login link; undefined when none runs. */
export async function runningServer(directory: string): Promise<RunningServer | undefined> {
  for (let waited = 0; ; waited += AGAIN_MS) {
    const found = findServer(directory);
    if (!found) return undefined;
    if (found.note) return withLink(found.note);
    if (waited >= LONGEST_START_MS) throw silent(directory);
    await sleep(AGAIN_MS);
  }
}

/** Claims a data directory, or says who has it. A server that is just starting or ending is waited for. */
export async function claimOrFind(directory: string): Promise<{ claim: Claim } | { running: RunningServer }> {
  for (let waited = 0; ; waited += AGAIN_MS) {
    const claim = claimDirectory(directory);
    if (claim) return { claim };
    const note = findServer(directory)?.note;
    try {
      if (note) return { running: await withLink(note) };
      if (waited >= LONGEST_START_MS) throw silent(directory);
    } catch (error) {
      // It may just be stopping.
      if (waited >= LONGEST_STOP_MS) throw error;
    }
    await sleep(AGAIN_MS);
  }
}

/** Milliseconds. */
const AGAIN_MS = 50;
const LONGEST_START_MS = 15_000;
const LONGEST_STOP_MS = 2_000;
const LONGEST_ANSWER_MS = 10_000;

async function withLink(note: ServerNote): Promise<RunningServer> {
  try {
    const token = readFileSync(note.token_file, "utf8").trim();
    const response = await fetch(`${note.url}/v1/login_links`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    const { data } = (await response.json()) as LoginLinkAnswer;
    return { ...note, login_url: data.url, expires_at: data.expires_at };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = visible(cause instanceof Error ? cause.message : message);
    throw new ExitError(
      1,
      `A server (process ${note.pid}) has this data directory, but gave no login link at ${visible(note.url)}: ${why}. ` +
        `Stop it (kill ${note.pid}), then start it again with \`spoor serve\`.`,
    );
  }
}

const silent = (directory: string): ExitError =>
  new ExitError(
    1,
    `Another process has locked ${visible(directory)} as its server and does not say where it listens. ` +
      "Try again; if that does not help, look for a `spoor serve` that hangs, and stop it.",
  );
