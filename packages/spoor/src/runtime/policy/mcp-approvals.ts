import type { Log } from "../../log/log.ts";
import type { TaskSpec } from "../specification/spec.ts";
import { type GivenServer, launchHash, launchLines, launchOf, serverFolder } from "./mcp-server.ts";
import { type ApprovedServer, readServers } from "./mcp-trust.ts";

/** The MCP servers of a task that the user has not approved as they are, in the words of a question. */
export interface UnapprovedServers {
  /** `the MCP server docs`. */
  names: string;
  reason: string;
  detail: string;
  /** How servers differ from those of the same name that the user approved before. Empty if there are none. */
  diff: string;
  /** What is approved. The run starts a server only if the approval names its hash. */
  launches: NamedLaunch[];
}

/** A server as a question before a run names it. */
export type NamedLaunch = Pick<ApprovedServer, "name" | "sha256">;

/** The servers that a person approved for a run, or for one of the runs that it is a subagent of. */
export async function serversApprovedFor(log: Log, run_id: string): Promise<NamedLaunch[]> {
  const named: NamedLaunch[] = [];
  for (let id: string | undefined = run_id; id !== undefined; id = (await log.run(id))?.parent_run_id) {
    // Only the question before the start of a run names servers. The input of other questions comes from the model.
    const { rows } = await log.rows.list("approvals", { where: { run_id: id, kind: "task", status: "approved" } });
    for (const { action } of rows) {
      const { input } = JSON.parse(action ?? "{}") as { input?: { mcp_servers?: NamedLaunch[] } };
      named.push(...(input?.mcp_servers ?? []));
    }
  }
  return named;
}

/**
 * Finds the servers that must be asked about before a run of our loop starts them. Undefined if there are none, if the task
 * approves everything, or if nobody may be asked: the run goes on without such servers then. `known` are approved already.
 */
export function unapprovedServers(
  directory: string,
  spec: TaskSpec,
  root: string,
  known: readonly NamedLaunch[] = [],
): UnapprovedServers | undefined {
  const given = (spec.mcp_servers ?? []) as readonly GivenServer[];
  if (given.length === 0 || ["auto", "yolo", "deny"].includes(spec.approve ?? "ask")) return undefined;
  const approved = readServers(directory);
  const folder = serverFolder(spec.workspace, root);
  const asked = given
    .map((server) => ({ name: server.name, launch: launchOf(server, folder) }))
    .map((one) => ({ ...one, sha256: launchHash(one.launch) }))
    .filter(({ name, sha256 }) => ![...approved, ...known].some((one) => one.name === name && one.sha256 === sha256))
    .map((one) => ({ ...one, before: approved.findLast(({ name }) => name === one.name) }));
  if (asked.length === 0) return undefined;
  const names = asked.map(({ name }) => name).join(", ");
  return {
    names: `the MCP ${asked.length === 1 ? "server" : "servers"} ${names}`,
    reason: asked
      .map(({ name, before }) =>
        before ? `The MCP server ${name} has changed since you approved it.` : `The MCP server ${name} is new.`,
      )
      .join(" "),
    detail: asked
      .map(({ name, launch }) => `MCP server ${name}\n${launchLines(launch).map(indented).join("\n")}`)
      .join("\n"),
    diff: asked.map(differenceOf).join(""),
    launches: asked.map(({ name, sha256 }) => ({ name, sha256 })),
  };
}

const indented = (line: string): string => `  ${line}`;

/** The lines that differ, as a unified diff without context. */
function differenceOf({
  name,
  launch,
  before,
}: {
  name: string;
  launch: ApprovedServer["launch"];
  before: ApprovedServer | undefined;
}): string {
  if (!before) return "";
  const [old, now] = [launchLines(before.launch), launchLines(launch)];
  const removed = old.filter((line) => !now.includes(line));
  const added = now.filter((line) => !old.includes(line));
  const head = `--- a/${name}\n+++ b/${name}\n@@ -1,${removed.length} +1,${added.length} @@\n`;
  return head + [...removed.map((line) => `-${line}\n`), ...added.map((line) => `+${line}\n`)].join("");
}
