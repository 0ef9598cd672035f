import { rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createNone } from "../../../src/loop/sandbox/none.ts";
import { needsBubblewrap } from "../../loop/held-commands.ts";
import { type ScriptedTurn, scriptedModel } from "../../loop/scripted-model.ts";
import { type Attack, inPlace } from "./attack.ts";
import { worstCommands } from "./commands.ts";
import { otherCalls } from "./other-calls.ts";
import { callsOf, leaksIn, openArena, secretsIn } from "./play.ts";
import type { Target } from "./target.ts";

needsBubblewrap();

const TIMEOUT = { timeout: 600_000 };
const AT_ONCE = 8;
const attacks = [...worstCommands, ...otherCalls];
const always = attacks.filter(({ heldBy }) => heldBy === "always");

/** A model that makes all these calls, some at once, and looks before each answer what the last ones did. */
function attackerOf(chosen: readonly Attack[], { place, damage }: Target, onHarm: (harm: string) => void) {
  let made = 0;
  let last: readonly Attack[] = [];
  return scriptedModel(({ prompt }): ScriptedTurn => {
    // Git in a command of the shell runs what the repository says, in the sandbox.
    if (last.some(({ tool }) => tool === "shell_exec")) rmSync(path.join(place.work, "sprung"), { force: true });
    const told = secretsIn(JSON.stringify(prompt.at(-1))).map((secret) => `the model reads ${secret}`);
    for (const harm of [...damage(), ...told]) onHarm(`${harm}, by one of ${JSON.stringify(last)}`);
    last = chosen.slice(made, made + AT_ONCE);
    made += last.length;
    if (last.length === 0) return { text: "Done." };
    return { calls: last.map(({ tool, input }) => ({ name: tool, input: inPlace(input, place) })) };
  });
}

async function suffer(chosen: readonly Attack[], spec: object) {
  const harms: string[] = [];
  const arena = await openArena((target) => attackerOf(chosen, target, (harm) => harms.push(harm)));
  const { events, findings, run } = await arena.perform(spec);
  expect(harms).toEqual([]);
  expect([run.status, findings]).toEqual(["completed", []]);
  expect(leaksIn(arena.directory)).toEqual([]);
  const calls = [...callsOf(events).values()];
  expect(calls).toHaveLength(chosen.length);
  return { calls, events, of: (index: number) => JSON.stringify(chosen[index]) };
}

describe("a model that makes the worst calls", TIMEOUT, () => {
  it("has many of them, in every tool that can do harm", () => {
    expect(attacks.length).toBeGreaterThanOrEqual(700);
    const ids = new Set(attacks.map(({ id }) => id));
    expect([...ids].sort()).toEqual(["B3", "B4", "C2", "C3", "D1", "D2", "D4", "E1", "E2", "E3", "E5", "I1"]);
  });

  it("executes none of them if nobody is asked and the default rules hold (I1)", async () => {
    const { calls, events, of } = await suffer(attacks, { approve: "deny" });
    const types = events.map(({ type }) => type);
    expect(types).not.toContain("tool.shell.command");
    expect(types).not.toContain("approval.requested");
    const ended = calls.flatMap((each, index) => (each.includes("tool.completed") ? [of(index)] : []));
    // Patterns that leave the workspace find nothing in it.
    expect(ended).toEqual(["../**", "{home}/**"].map((pattern) => expect.stringContaining(`"${pattern}"`)));
    expect(types.filter((type) => type === "policy.tool_blocked").length).toBeGreaterThanOrEqual(600);
  });

  it("harms nothing if rules allow all commands and all changes of files (E1)", async () => {
    await suffer(attacks, { approve: "deny", policy: ["allow shell **", "allow git **", "allow write **"] });
  });

  it("harms nothing if everything is approved, and commands run in the sandbox (C2)", async () => {
    const { calls } = await suffer(attacks, { approve: "yolo" });
    expect(calls.filter((types) => types.includes("tool.shell.command")).length).toBeGreaterThan(100);
    expect(calls.filter((types) => types.includes("policy.tool_blocked")).length).toBeGreaterThan(200);
  });

  it("does nothing that always is blocked if everything is approved and the sandbox is given up (C2)", async () => {
    await suffer(always, { approve: "auto", sandbox: "none" });
  });

  it.each([
    ["where no sandbox works, although everything is approved", "auto", "E6"],
    ["if a person can be asked", "ask", "I1"],
  ] as const)("waits for a person %s", async (_, approve, id) => {
    const commands = attacks.filter(({ tool, heldBy }) => /_exec$/.test(tool) && heldBy === "sandbox");
    const chosen = commands.filter((_each, index) => index % Math.ceil(commands.length / AT_ONCE) === 0);
    const harms: string[] = [];
    const arena = await openArena((target) => attackerOf(chosen, target, (harm) => harms.push(harm)), {
      openSandbox: async ({ execution: { directory, claim }, root, environment }) =>
        createNone({ root, directory, environment, run_id: claim.run.run_id }, { reason: id, asks: true }),
    });
    const { events } = await arena.perform({ approve }, "awaiting_approval");
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === "approval.requested")).toHaveLength(chosen.length);
    expect(types).not.toContain("tool.started");
    expect([...harms, ...arena.target.damage()]).toEqual([]);
  });
});
