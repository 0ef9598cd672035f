import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { launchHash, launchOf } from "../../src/runtime/policy/mcp-server.ts";
import { approveServer } from "../../src/runtime/policy/mcp-trust.ts";
import { openDoor } from "../lifecycles/door.ts";

const TIMEOUT = { timeout: 60_000 };

describe("an MCP server with an approved name and another command", TIMEOUT, () => {
  it("is not started before a person has seen the difference and approved it (B4)", async () => {
    const door = await openDoor();
    const trap = path.join(door.directory, "sprung");
    const server = { name: "docs", command: "docs-server", args: ["--stdio"] };
    const launch = launchOf(server, realpathSync(door.workspace));
    const approved = { name: "docs", sha256: launchHash(launch), launch, approved_at: "2026-01-01T00:00:00Z" };
    approveServer(door.directory, approved);
    door.startLoopWorker();
    const start = (more: object) => door.loop("Hello.", { mcp_servers: [{ ...server, ...more }] });
    // What was approved starts at once.
    await door.settled(await start({}));
    const run_id = await start({ command: "sh", args: ["-c", `touch ${trap}`] });
    const approval = await door.approvalOf(run_id);
    expect(approval).toMatchObject({
      kind: "task",
      status: "pending",
      diff: expect.stringContaining(`-command: docs-server --stdio\n+command: sh -c "touch ${trap}"\n`),
    });
    expect(await door.types(run_id)).toEqual(["run.created", "run.awaiting_approval", "approval.requested"]);
    expect(await door.resolve(approval.approval_id, "reject")).toMatchObject({ status: 200 });
    await door.settled(run_id);
    expect(existsSync(trap)).toBe(false);
  });
});
