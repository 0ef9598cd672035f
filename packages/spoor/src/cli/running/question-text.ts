import type { PendingInteraction } from "../../run/interaction-channel.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** The most lines of a diff or an input that are shown with a question; the log contains all of them. */
const MOST_LINES = 60;

/** The text of a question, with what the person needs to decide: the diff of a change, or the input of the tool. */
export function questionText(interaction: PendingInteraction): string {
  const { type, description, detail, toolName } = interaction;
  const tool = toolName === undefined || description.split(" ", 1)[0] === toolName ? "" : ` (${toolName})`;
  const lines = [`${description}${tool}`, ...detail.split("\n"), ...evidence(interaction)];
  return `\n${lines.map(terminalSafe).join("\n")}\n${type === "approval" ? "Allow? [y/N] " : "> "}`;
}

function evidence({ diff, input, detail, truncated }: PendingInteraction): string[] {
  const lines = diff === undefined ? inputLines(input, detail) : diff.trimEnd().split("\n");
  const shown = lines.slice(0, MOST_LINES).map((line) => `  ${line}`);
  if (lines.length > MOST_LINES) return [...shown, `  … ${lines.length - MOST_LINES} more lines`];
  return truncated ? [...shown, "  … and more"] : shown;
}

/** One line for each field of the input. A field that repeats the detail is left out. */
function inputLines(input: unknown, detail: string): string[] {
  if (typeof input !== "object" || input === null) return input === undefined ? [] : [JSON.stringify(input)];
  return Object.entries(input)
    .filter(([, value]) => value !== detail)
    .flatMap(([name, value]) => {
      const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
      return text.includes("\n") ? [`${name}:`, ...text.split("\n").map((line) => `  ${line}`)] : [`${name}: ${text}`];
    });
}
