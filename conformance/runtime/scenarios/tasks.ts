import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelRequest, Script } from "../../model-server/script.ts";
import { answer, text } from "../../scenarios/scenario.ts";
import { PROMPT, type Tools } from "../../tools.ts";
import { CHANGED, differing, gitState, makeCheckout, picture, SHELL_CHANGES } from "../checkout.ts";
import { expectExit, expectThat } from "../expectations.ts";
import type { RuntimeScenario } from "../scenario.ts";
import type { Row, Stage } from "../stage.ts";

export const tasks: readonly RuntimeScenario[] = [
  {
    name: "task in a worktree",
    prepare: makeCheckout,
    script: (tools, cwd) => changes(tools, ({ body }) => worktreeIn(JSON.stringify(body), dirname(cwd))),
    async play(stage) {
      const before = { files: picture(stage.cwd), git: gitState(stage.cwd) };
      await stage.serve();
      const { status, body } = await stage.http("POST", "/v1/tasks", {
        ...{ kind: "agent", agent: stage.agent, prompt: PROMPT, approve: "auto", agent_command: stage.command },
        workspace: { mode: "worktree", path: stage.cwd },
        start: true,
      });
      if (status !== 201) return [`POST /v1/tasks answered ${status}: ${JSON.stringify(body)}`];
      const run = await overWith(stage);
      const worktree = String(run.workspace_path);
      const after = picture(worktree);
      const problems = [
        ...expectThat(run.status === "completed", `The run ended as ${run.status}.`),
        ...expectThat(worktree.startsWith(stage.data), `The run worked in ${worktree}.`),
        ...expectNames("The worktree differs in", differing(before.files, after), CHANGED),
        ...(await expectDiff(stage)),
      ];
      const fresh = join(stage.home, "fresh");
      copyCheckout(stage.cwd, fresh);
      problems.push(...expectExit(await stage.spoor("apply", "last", "--to", fresh), 0));
      problems.push(
        ...expectNames("The folder with the applied diff differs in", differing(after, picture(fresh)), []),
      );
      problems.push(...expectExit(await stage.spoor("revert", "last"), 0));
      problems.push(...expectNames("After the revert there differ", differing(before.files, picture(worktree)), []));
      return [
        ...problems,
        ...expectNames("In the user's checkout there differ", differing(before.files, picture(stage.cwd)), []),
        ...expectThat(gitState(stage.cwd) === before.git, `The user's checkout changed: ${gitState(stage.cwd)}`),
      ];
    },
  },
  {
    name: "detached, then reverted and applied again",
    prepare: makeCheckout,
    script: (tools, cwd) => changes(tools, () => cwd),
    async play(stage) {
      const before = picture(stage.cwd);
      const detached = await stage.spoor(...stage.runArguments("--approve", "auto", "--detach"));
      if (detached.code !== 0) return expectExit(detached, 0);
      const run = await overWith(stage);
      const after = picture(stage.cwd);
      const problems = [
        ...expectThat(run.status === "completed", `The run ended as ${run.status}.`),
        ...expectNames("The run changed", differing(before, after), CHANGED),
        ...(await expectDiff(stage)),
      ];
      const { stdout: diff } = await stage.spoor("diff", "last");
      problems.push(...expectExit(await stage.spoor("revert", "last"), 0));
      problems.push(...expectNames("After the revert there differ", differing(before, picture(stage.cwd)), []));
      execFileSync("git", ["apply", "-"], { cwd: stage.cwd, input: diff });
      problems.push(...expectNames("With the diff applied there differ", differing(after, picture(stage.cwd)), []));
      return problems;
    },
  },
];

/** The changes of the run: one by a tool that names its file, the others by the shell. `root` is where the agent works. */
const changes = (tools: Tools, root: (request: ModelRequest) => string): Script => [
  // Some agents edit only files that they have read, and only by their whole path.
  { blocks: (request) => [tools.read(join(root(request), "edited.txt"))] },
  { blocks: (request) => [tools.edit(join(root(request), "edited.txt"), "two", "2")] },
  answer(tools.shell(SHELL_CHANGES)),
  answer(text("Done.")),
];

/** The worktree, which the agent tells its model. Otherwise paths are relative to it. */
const worktreeIn = (body: string, home: string): string =>
  body.match(/[^"\\\s]*\/data\/worktrees\/run_\w+/g)?.find((path) => path.startsWith(home)) ?? "";

/** Waits until the only run is over, and returns its row. */
const overWith = (stage: Stage): Promise<Row> =>
  stage.until("the run ends", async () => {
    const [row] = await stage.rows("ls").catch(() => []);
    return row && over.has(String(row.status)) && row;
  });

const over = new Set(["completed", "failed", "cancelled"]);

/** The diff names exactly the changed files, and so does the row of the run. */
async function expectDiff(stage: Stage): Promise<string[]> {
  const { code, stdout, stderr } = await stage.spoor("diff", "last");
  const names = [...stdout.matchAll(/^diff --git a\/.* b\/(.*)$/gm)].map(([, name]) => name ?? "").sort();
  const [row] = await stage.rows("ls");
  return [
    ...expectThat(code === 0, `spoor diff ended with ${code}: ${stderr}`),
    ...expectNames("The diff names", names, CHANGED),
    ...expectThat(row?.files_changed === CHANGED.length, `The list says that ${row?.files_changed} files changed.`),
  ];
}

const expectNames = (what: string, found: readonly string[], expected: readonly string[]): string[] =>
  expectThat(
    found.join() === expected.join(),
    `${what} ${found.join(", ") || "nothing"}, not ${expected.join(", ") || "nothing"}.`,
  );

function copyCheckout(from: string, to: string): void {
  mkdirSync(to);
  execFileSync("git", ["clone", "-q", "--no-hardlinks", from, to], { stdio: "ignore" });
}
