import { createHash } from "node:crypto";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLog } from "../../../src/log/open.ts";
import { appendGolden } from "../../cli/logs.ts";
import { createPlace } from "../../cli/process.ts";
import { patchedRun } from "../../runtime/patched-run.ts";
import { connect, stdioTransport } from "./client.ts";

describe("spoor mcp without --allow-commands", { timeout: 60_000 }, () => {
  it("offers no command, and changes no row whatever is called", async () => {
    const place = createPlace("mcp");
    onTestFinished(place.remove);
    const log = await openLog({ directory: place.data });
    for (const name of ["success", "question", "approval-approved"]) await appendGolden(log, name);
    const { run_id, artifact_ids } = await patchedRun(log, place.data, place.home, [
      { path: "a.txt", before: Buffer.from("a\n"), after: Buffer.from("b\n") },
    ]);
    const run = await appendGolden(log, "lifecycle-gate-approved");
    await log.close();
    const before = rowsOf(place.data);
    const client = await connect(stdioTransport(place.data));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["list_runs", "read_run", "read_event", "run_diff", "list_artifacts", "read_artifact"],
      ...["run_cost", "usage", "list_approvals"],
    ]);
    for (const { annotations } of tools)
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: true });
    const commands = ["start_task", "follow_up", "send_text", "control_run", "answer_approval", "cancel", "__proto__"];
    const inputs: Record<string, unknown>[] = [
      {},
      { run: "last" },
      { run: run_id, granularity: "delta" },
      { run: run_id, sequence: 0 },
      { run, action: "cancel", way: "retry", text: "x", prompt: "x" },
      { kind: "shell", command: "touch owned" },
      { approval_id: "appr_1", decision: "approve" },
      { artifact_id: artifact_ids[0] },
      { query: "the" },
      { by: ["task", "session"] },
      { status: "all" },
    ];
    let answered = 0;
    for (const name of [...tools.map((tool) => tool.name), ...commands]) {
      for (const input of inputs) {
        const result = await client.callTool({ name, arguments: input }).catch((error: Error) => error);
        if (!(result instanceof Error) && !result.isError) answered += 1;
        if (commands.includes(name)) expect(String(result)).toContain("There is no tool");
      }
    }
    expect(answered).toBeGreaterThan(12);
    const { resources } = await client.listResources();
    for (const { uri } of resources) await client.readResource({ uri });
    await client.subscribeResource({ uri: `spoor://runs/${run}` });
    await client.close();
    expect(rowsOf(place.data)).toEqual(before);
  });

  it("creates nothing where nothing is recorded, and finds what is recorded later", async () => {
    const place = createPlace("mcp");
    onTestFinished(place.remove);
    const client = await connect(stdioTransport(place.data));
    const empty = await client.callTool({ name: "list_runs", arguments: {} });
    expect(empty).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("nothing_recorded: ") }] });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "spoor://runs",
      "spoor://approvals",
      "spoor://usage",
    ]);
    const log = await openLog({ directory: place.data });
    onTestFinished(() => log.close());
    const run_id = await appendGolden(log, "success");
    const { structuredContent } = await client.callTool({ name: "list_runs", arguments: {} });
    expect(structuredContent).toMatchObject({ runs: [{ run_id }] });
  });
});

/** A digest of every table. The index of the search is not one of them: a search brings it up to date. */
function rowsOf(directory: string): Record<string, string> {
  const database = new DatabaseSync(path.join(directory, "spoor.db"), { readOnly: true });
  try {
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
    const tables = names.map(({ name }) => name).filter((name) => name !== "run_texts" && !name.startsWith("sqlite_"));
    return Object.fromEntries(
      tables.map((name) => {
        const hash = createHash("sha256");
        for (const row of database.prepare(`SELECT * FROM "${name}"`).iterate()) {
          hash.update(
            JSON.stringify(row, (_, value) =>
              value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
            ),
          );
        }
        return [name, hash.digest("hex")];
      }),
    );
  } finally {
    database.close();
  }
}
