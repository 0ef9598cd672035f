import type { RunEvent } from "../commit.ts";
import type { OwnRun } from "./own-run.ts";

/**
 * Parks a run of ours that waits for a person: writes what it asks and gives the lease back in one commit, so that it holds no
 * process. With the last answer it is queued again.
 */
export const parkRun = (own: OwnRun, events: readonly RunEvent[]): Promise<void> => own.commit(events);

/**
 * Pauses a run of our loop between two steps and gives the lease back. It is queued again when it is unpaused. The command
 * that asked for it is acknowledged in the same commit.
 */
export const pauseRun = (own: OwnRun): Promise<void> => own.commit([["run.paused", own.told("pause")]]);
