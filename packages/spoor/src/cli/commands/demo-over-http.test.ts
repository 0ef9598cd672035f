import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { createSpoorClient } from "@spoor/protocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { serveTasks } from "../../../testing/server/task-server.ts";
import { loop } from "../../loop/loop-kind.ts";

test("the demo is started over HTTP, asks one question, and its changes can be reverted", {
  timeout: 60_000,
}, async () => {
  const { server, directory, findings } = await serveTasks({ kinds: [loop] });
  const token = readFileSync(path.join(directory, "token"), "utf8").trim();
  const client = createSpoorClient({ url: server.url, token });
  const { run_id, workspace_path = "" } = await client.startDemo({ idempotencyKey: "demo-1" });
  onTestFinished(() => rmSync(workspace_path, { recursive: true, force: true }));
  // The same request again neither starts a run nor leaves a folder.
  expect(await client.startDemo({ idempotencyKey: "demo-1" })).toMatchObject({ run_id, workspace_path });

  const asked = await vi.waitFor(
    async () => {
      const { data } = await client.approvals.list({ status: "pending" });
      expect(data).toHaveLength(1);
      return data[0];
    },
    { timeout: 30_000 },
  );
  expect(asked).toMatchObject({ run_id, tool: "file_edit", rule: "ask tool file_edit", cwd: workspace_path });
  await client.approvals.resolve(asked?.approval_id ?? "", {
    decision: "approve",
    action_hash: asked?.action_hash ?? "",
  });
  const { status } = await client.waitForEnd(run_id);
  expect(status).toBe("completed");
  expect(await client.runs.get(run_id)).toMatchObject({ status: "completed", cost_source: "estimated" });
  expect(readFileSync(path.join(workspace_path, "greet.sh"), "utf8")).toContain("world");
  const { data: patches } = await client.artifacts.list({ run_id, kind: "patch" });
  for (const { id } of patches) await client.artifacts.revert(id);
  expect(existsSync(path.join(workspace_path, "greet.sh"))).toBe(false);
  expect(await findings(run_id)).toEqual([]);
});

test("a server without the loop refuses the demo and says how to see it", async () => {
  const { post } = await serveTasks();
  expect(await post("/v1/demo")).toMatchObject({
    status: 409,
    body: { error: { code: "not_supported", message: expect.stringContaining("npx spoor demo") } },
  });
});
