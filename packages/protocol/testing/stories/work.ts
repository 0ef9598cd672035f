import { Story } from "../story.ts";

const DIFF = `--- a/src/total.ts
+++ b/src/total.ts
@@ -1,3 +1,3 @@
 export function total(prices: number[]): number {
-  return prices.reduce((sum, price) => sum + price);
+  return prices.reduce((sum, price) => sum + price, 0);
 }
`;

/** A failing test is found, fixed and shown to pass: thinking, reading, searching, editing, running, todo, cost. */
export function success(): Story {
  const story = new Story("Make the failing test pass.")
    .begin()
    .turn({ model: "claude-sonnet-4-5", provider: "anthropic" })
    .step("thinking")
    .thinking("The test calls total([]) ", "and reduce has no start value.")
    .endStep()
    .step("generation")
    .message("I'll look at ", "the function first.")
    .endStep()
    .step("tool_use")
    .tool({
      id: "toolu_01",
      name: "TodoWrite",
      kind: "todo_write",
      input: {
        todos: [
          { content: "Fix total()", status: "in_progress" },
          { content: "Run the tests", status: "pending" },
        ],
      },
    })
    .result("toolu_01", "TodoWrite", "ok")
    .tool({
      id: "toolu_02",
      name: "Read",
      kind: "file_read",
      input: { file_path: "src/total.ts" },
      pieces: ['{"file_path":', '"src/total.ts"}'],
    })
    .result("toolu_02", "Read", "export function total…")
    .emit("file_read", { path: "src/total.ts", toolCallId: "toolu_02" })
    .tool({ id: "toolu_03", name: "Grep", kind: "grep", input: { pattern: "total\\(" } })
    .tool({ id: "toolu_04", name: "Glob", kind: "glob", input: { pattern: "src/**/*.test.ts" } })
    .result("toolu_04", "Glob", ["src/total.test.ts"])
    .result("toolu_03", "Grep", "src/total.test.ts:4: expect(total([])).toBe(0)")
    .endStep()
    .emit("token_usage", { inputTokens: 2_410, outputTokens: 188, thinkingTokens: 40, cachedTokens: 1_800 })
    .endTurn({ stopReason: "tool_use" })
    .turn({ model: "claude-sonnet-4-5", provider: "anthropic" })
    .tool({
      id: "toolu_05",
      name: "Edit",
      kind: "edit",
      input: { file_path: "src/total.ts", old_string: "sum + price)", new_string: "sum + price, 0)" },
    })
    .wait(30)
    .result("toolu_05", "Edit", "The file has been updated.", 30)
    .emit("file_patch", { path: "src/total.ts", diff: DIFF, toolCallId: "toolu_05" })
    .tool({ id: "toolu_06", name: "Bash", kind: "shell", input: { command: "npm test" } })
    .shell("toolu_06", "npm test", { stdout: "✓ total of nothing is 0\n", stderr: "npm notice\n" })
    .result("toolu_06", "Bash", "✓ total of nothing is 0", 1_240)
    .emit("cost", {
      cost: { totalUsd: 0.01432, inputTokens: 5_120, outputTokens: 402, cachedTokens: 3_600, source: "agent_reported" },
    })
    .endTurn({ stopReason: "tool_use", cost: { totalUsd: 0.0066, inputTokens: 2_710, outputTokens: 214 } })
    .turn()
    .message("`total()` now starts at 0; ", "the test passes.")
    .emit("cost", {
      cost: { totalUsd: 0.019, inputTokens: 7_900, outputTokens: 440, cachedTokens: 6_100, source: "agent_reported" },
    })
    .endTurn({ stopReason: "end_turn" });
  return story.end({
    totalUsd: 0.019,
    inputTokens: 7_900,
    outputTokens: 440,
    cachedTokens: 6_100,
    source: "agent_reported",
  });
}

/** Files of every kind: created, written, deleted, changed together; pages fetched and searched. */
export function filesAndWeb(): Story {
  return new Story("Replace the old client with the new one.")
    .begin()
    .turn()
    .tool({ id: "c1", name: "web_search", kind: "web_search", input: { query: "fetch keepalive" } })
    .result("c1", "web_search", "1. Using fetch", 420)
    .tool({ id: "c2", name: "web_fetch", kind: "web_fetch", input: { url: "https://example.com/fetch" } })
    .result("c2", "web_fetch", "# Using fetch", 310)
    .tool({
      id: "c3",
      name: "http_request",
      kind: "http",
      input: { url: "http://127.0.0.1:8080/health", method: "head" },
    })
    .result("c3", "http_request", "200", 8)
    .tool({ id: "c4", name: "write_file", kind: "file_write", input: { path: "src/client.ts" } })
    .result("c4", "write_file", "written")
    .emit("file_create", { path: "src/client.ts", byteCount: 812, toolCallId: "c4" })
    .tool({ id: "c5", name: "write_file", kind: "file_write", input: { path: "README.md" } })
    .result("c5", "write_file", "written")
    .emit("file_write", { path: "README.md", byteCount: 2_048, toolCallId: "c5" })
    .tool({ id: "c6", name: "multi_edit", kind: "multi_edit", input: { paths: ["src/a.ts", "src/b.ts"] } })
    .result("c6", "multi_edit", "2 files")
    .emit("file_patch", { path: "src/a.ts", diff: DIFF.replaceAll("src/total.ts", "src/a.ts"), toolCallId: "c6" })
    .emit("file_patch", { path: "src/b.ts", diff: DIFF.replaceAll("src/total.ts", "src/b.ts"), toolCallId: "c6" })
    .tool({ id: "c7", name: "shell", kind: "shell", input: { command: "rm src/old-client.ts" } })
    .shell("c7", "rm src/old-client.ts")
    .result("c7", "shell", "")
    .emit("file_delete", { path: "src/old-client.ts", toolCallId: "c7" })
    .endTurn()
    .turn()
    .message("Done: the old client is gone.")
    .endTurn()
    .end();
}

/** Calls that fail in every possible way. */
export function failingTools(): Story {
  return new Story("Deploy it.")
    .begin()
    .turn()
    .tool({ id: "t1", name: "Bash", kind: "shell", input: { command: "npm run deploy" } })
    .shell("t1", "npm run deploy", { stderr: "no such script\n", exitCode: 1 })
    .emit("tool_error", { toolCallId: "t1", toolName: "Bash", error: "exit code 1", outcome: "failed" })
    .tool({ id: "t2", name: "Bash", kind: "shell", input: { command: "sleep 900" } })
    .shell("t2", "sleep 900", { exitCode: -1 })
    .emit("tool_error", { toolCallId: "t2", toolName: "Bash", error: "Took longer than 120 s.", outcome: "timed_out" })
    .tool({ id: "t3", name: "Bash", kind: "shell", input: { command: "git push --force" } })
    .emit("tool_error", { toolCallId: "t3", toolName: "Bash", error: "Force pushes are refused.", outcome: "blocked" })
    .tool({ id: "t4", name: "Read", kind: "file_read", input: { file_path: "deploy.md" } })
    .emit("tool_error", { toolCallId: "t4", toolName: "Read", error: "Cancelled by the user.", outcome: "cancelled" })
    .emit("error", { code: "PARSE_ERROR", message: "A frame could not be read.", recoverable: true })
    .fact("error.tool_unavailable", { tool_name: "web_search", reason: "no_provider_configured" })
    .fact("policy.model_rewrote", { from_model: "gpt-5", to_model: "gpt-5-mini", reason: "cost cap" })
    .fact("error.model_capability_missing", {
      model: "llama3.1:8b",
      missing_capability: "tool_use",
      fallback_strategy: "prompt_simulated_json",
    })
    .endTurn({ stopReason: "tool_use" })
    .turn()
    .message("I could not deploy: there is no deploy script.")
    .endTurn({ stopReason: "end_turn" })
    .end();
}
