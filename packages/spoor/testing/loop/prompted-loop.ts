import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Executor } from "../../src/runtime/queue/executor.ts";
import { scriptedExecutor } from "./loop-runtime.ts";
import { type ScriptedTurn, scriptedModel } from "./scripted-model.ts";

/** The real loop with a model that plays the script in its first prompt, so that every process plays the same. */
export const createPromptedLoop = (): Executor => scriptedExecutor(scriptedModel(turnOf));

/** A prompt whose turns run one command each. The turn after them is the answer. */
export const commandsOf = (...commands: string[]): string =>
  JSON.stringify(commands.map((command): ScriptedTurn => ({ calls: [{ name: "shell", input: { command } }] })));

function turnOf({ prompt }: LanguageModelV4CallOptions): ScriptedTurn {
  const answers = prompt.filter(({ role }) => role === "assistant").length;
  const first = prompt.find(({ role }) => role === "user")?.content[0];
  const text = typeof first === "object" && first.type === "text" ? first.text : "";
  const script = text.startsWith("[") ? (JSON.parse(text) as ScriptedTurn[]) : [];
  return script[answers] ?? { text: "Done." };
}
