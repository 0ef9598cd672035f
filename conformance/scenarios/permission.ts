import { existsSync } from "node:fs";
import { join } from "node:path";
import { completed, expectCount } from "./expectations.ts";
import { answer, type Scenario, text } from "./scenario.ts";

export const permission: readonly Scenario[] = [
  {
    name: "permission given",
    approve: "ask",
    act: (handle) => handle.interaction.onPending(({ id }) => handle.approve(id)),
    script: (tools) => [answer((tools.asking ?? tools.shell)("touch asked.txt")), answer(text("Done."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectCount(outcome, "approval_granted", 1),
      ...(existsSync(join(outcome.cwd, "asked.txt")) ? [] : ["The permitted command did not run."]),
    ],
  },
  {
    name: "permission refused",
    approve: "ask",
    act: (handle) => handle.interaction.onPending(({ id }) => handle.deny(id, "Not today.")),
    script: (tools) => [answer((tools.asking ?? tools.shell)("touch refused.txt")), answer(text("Then not."))],
    problems: (outcome) => [
      ...expectCount(outcome, "approval_denied", 1),
      ...expectCount(outcome, "shell_start", 0),
      ...(existsSync(join(outcome.cwd, "refused.txt")) ? ["The refused command ran."] : []),
    ],
  },
  {
    name: "nothing without permission",
    approve: "deny",
    mayBeRefused: true,
    script: (tools, cwd) => [
      answer((tools.asking ?? tools.shell)("touch denied.txt")),
      answer(tools.create(join(cwd, "new.txt"), "one\ntwo")),
      answer(text("Then not.")),
    ],
    // An agent that is refused may stop. An agent that never called the model has proven nothing.
    problems: (outcome) => [
      ...completed(outcome),
      ...(outcome.asked === "null" ? ["The model was not called."] : []),
      ...(existsSync(join(outcome.cwd, "denied.txt")) ? ["The command ran."] : []),
      ...(existsSync(join(outcome.cwd, "new.txt")) ? ["The file was written."] : []),
      ...expectCount(outcome, "shell_start", 0),
    ],
  },
  {
    name: "nothing changed in a sandbox",
    approve: "deny",
    needs: "asking",
    script: (tools, cwd) => [
      answer(tools.shell("touch sandboxed.txt")),
      answer(tools.create(join(cwd, "new.txt"), "one\ntwo")),
      answer(text("Then not.")),
    ],
    problems: (outcome) => [
      ...completed(outcome),
      ...(existsSync(join(outcome.cwd, "sandboxed.txt")) ? ["The command wrote a file."] : []),
      ...(existsSync(join(outcome.cwd, "new.txt")) ? ["The file was written."] : []),
    ],
  },
];
