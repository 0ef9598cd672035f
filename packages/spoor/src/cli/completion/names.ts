import type { Log } from "../../log/log.ts";
import { shortNames } from "../output/short-names.ts";

/** A word that can be typed, and what it is. */
export interface Candidate {
  value: string;
  about: string;
}

/** The names of things that a command takes, by the name of its argument. A name that is not here is completed as a file. */
export async function namesOf(kind: string, data: string | undefined): Promise<Candidate[]> {
  try {
    return (await kinds[kind]?.(data)) ?? [];
  } catch {
    // Completion must never disturb what a person types.
    return [];
  }
}

const kinds: Readonly<Record<string, (data: string | undefined) => Promise<Candidate[]>>> = {
  agent: agents,
  name: agents,
  run: (data) => reading(data, runs),
  task: (data) => reading(data, tasks),
  approval: (data) => reading(data, approvals),
};

async function agents(): Promise<Candidate[]> {
  const { adapters } = await import("../../agents/registry.ts");
  const own = { value: "loop", about: "Spoor's own agent" };
  return [...adapters.map(({ name, title }) => ({ value: name, about: title })), own];
}

async function reading(data: string | undefined, read: (log: Log) => Promise<Candidate[]>): Promise<Candidate[]> {
  const { dataDirectory, logExists, openLogToRead } = await import("../../log/open.ts");
  const directory = data ?? dataDirectory();
  if (!logExists(directory)) return [];
  const log = await openLogToRead({ directory, lockWaitMs: 200 });
  try {
    return await read(log);
  } finally {
    await log.close();
  }
}

/** Runs by the end of their ids, newest first, with what was asked. */
async function runs(log: Log): Promise<Candidate[]> {
  const { runs: found } = await log.runs({ limit: MOST, hide_renormalized: true });
  const name = shortNames(found.map(({ run_id }) => run_id));
  const last = { value: "last", about: "the newest run" };
  return [
    last,
    ...found.map(({ run_id, agent, title = "" }) => ({ value: name(run_id), about: `${agent}: ${title}` })),
  ];
}

async function tasks(log: Log): Promise<Candidate[]> {
  const { tasks: found } = await log.tasks({ limit: MOST });
  const name = shortNames(found.map(({ task_id }) => task_id));
  const last = { value: "last", about: "the newest task" };
  return [last, ...found.map(({ task_id, title = "" }) => ({ value: name(task_id), about: title }))];
}

async function approvals(log: Log): Promise<Candidate[]> {
  const { rows } = await log.rows.list("approvals", { where: { status: "pending" }, limit: MOST });
  const name = shortNames(
    rows.map(({ approval_id }) => approval_id),
    4,
  );
  return rows.map(({ approval_id, action, tool }) => {
    const { action: what, detail } = JSON.parse(action ?? "{}") as { action?: string; detail?: string };
    return { value: name(approval_id), about: [what ?? tool ?? "", detail ?? ""].filter(Boolean).join(": ") };
  });
}

const MOST = 50;
