import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { LoginLinkAnswer } from "@spoor/protocol/api";
import { refuseDatabaseUrl } from "../../log/open.ts";
import { type Claim, claimDirectory, findClaim, type RunningServer, type ServerNote } from "./claim.ts";
import { ServeError } from "./serve-error.ts";

/**
 * Finds the server that runs on a data directory and asks it for a login link. Returns undefined if there is none.
 *
 * @example
 * const server = await findServer(dataDirectory());
 * if (server) console.log(server.url, server.login_url);
 */
export async function findServer(directory: string): Promise<RunningServer | undefined> {
  refuseDatabaseUrl(directory);
  for (let waited = 0; ; waited += RETRY_MS) {
    const found = findClaim(directory);
    if (!found) return undefined;
    if (found.note) return withLoginLink(found.note);
    if (waited >= LONGEST_START_MS) throw unclear(directory);
    await sleep(RETRY_MS);
  }
}

/** Claims a data directory, or finds the server that has claimed it. Waits for a server that is starting or stopping. */
export async function claimOrFind(directory: string): Promise<{ claim: Claim } | { running: RunningServer }> {
  refuseDatabaseUrl(directory);
  for (let waited = 0; ; waited += RETRY_MS) {
    const claim = claimDirectory(directory);
    if (claim) return { claim };
    const note = findClaim(directory)?.note;
    try {
      if (note) return { running: await withLoginLink(note) };
      if (waited >= LONGEST_START_MS) throw unclear(directory);
    } catch (error) {
      // The server may be stopping, so its claim may become free.
      if (waited >= LONGEST_STOP_MS) throw error;
    }
    await sleep(RETRY_MS);
  }
}

/** Milliseconds. */
const RETRY_MS = 50;
const LONGEST_START_MS = 15_000;
const LONGEST_STOP_MS = 2_000;
const LONGEST_ANSWER_MS = 10_000;

async function withLoginLink(note: ServerNote): Promise<RunningServer> {
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
    const reason = cause instanceof Error ? cause.message : message;
    throw new ServeError(
      "no_login_link",
      `A server (process ${note.pid}) runs on this data directory, but it gave no login link at ${note.url}: ${reason}. ` +
        `Stop it (kill ${note.pid}), then start it again with \`spoor serve\`.`,
      { cause: error },
    );
  }
}

const unclear = (directory: string): ServeError =>
  new ServeError(
    "claim_unclear",
    `Another process has locked ${directory} as its server, but it does not say where it listens. ` +
      "Try again. If that does not help, find the `spoor serve` that hangs and stop it.",
  );
