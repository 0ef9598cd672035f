import type { RunView, ToolView } from "@spoor/protocol";
import { toolWords } from "../run/conversation/words/tool-words.ts";
import { plainWords } from "../text/plain-words.ts";
import { sumCounts } from "../ui/counts.tsx";
import type { IconName } from "../ui/icon.tsx";

/** A step of the run before a question. */
export interface Step {
  readonly key: string;
  readonly icon: IconName;
  /** "Edit", or nothing where the agent speaks. */
  readonly verb?: string;
  /** What it did it to, or its words. */
  readonly text: string;
  readonly isQuote: boolean;
  readonly additions?: number;
  readonly deletions?: number;
  readonly outcome?: string;
  /** Milliseconds since the beginning of the run. */
  readonly at?: number;
  readonly sequence: number;
}

const STEPS = 3;

/** The last steps that led to an approval, the latest first: what the agent said and did. */
export function ledHere(view: RunView, approvalId: string): Step[] {
  const asked = view.approvals.findIndex(({ id }) => id === approvalId);
  const { toolCallId } = view.approvals[asked] ?? {};
  const end = view.timeline.findIndex(({ kind, index }) => kind === "approvals" && index === asked);
  const before = end === -1 ? view.timeline : view.timeline.slice(0, end);
  const steps: Step[] = [];
  for (const { kind, index, tool, sequence } of before.toReversed()) {
    if (steps.length === STEPS) break;
    if (tool !== undefined) continue;
    const step =
      kind === "tools" && view.tools[index]?.id !== toolCallId
        ? ofTool(view, view.tools[index])
        : kind === "messages" || kind === "prompts"
          ? ofWords(view, kind, index)
          : undefined;
    if (step) steps.push({ ...step, key: `${kind}-${index}`, sequence });
  }
  return steps;
}

type Found = Omit<Step, "key" | "sequence">;

function ofWords(view: RunView, kind: "messages" | "prompts", index: number): Found | undefined {
  const { text = "", at } = view[kind][index] ?? {};
  if (text.trim() === "") return undefined;
  const icon = kind === "messages" ? "thought" : "send";
  return {
    icon,
    text: plainWords(text),
    isQuote: true,
    ...timeOf(view, at),
    ...(kind === "prompts" && { verb: "You" }),
  };
}

function ofTool(view: RunView, tool: ToolView | undefined): Found | undefined {
  if (!tool) return undefined;
  const files = tool.files.flatMap((index) => view.files[index] ?? []);
  const shells = tool.shells.flatMap((index) => view.shells[index] ?? []);
  const { icon, verb, target } = toolWords({ tool, files, shells }, view.workspacePath);
  return {
    icon,
    verb,
    text: target,
    isQuote: false,
    ...sumCounts(files),
    ...outcomeOf(tool, shells[0]?.exitCode),
    ...timeOf(view, tool.startedAt ?? tool.proposedAt),
  };
}

function outcomeOf({ state }: ToolView, exitCode: number | undefined): { outcome?: string } {
  if (exitCode !== undefined && exitCode > 0) return { outcome: `exit ${exitCode}` };
  return state in outcomes ? { outcome: outcomes[state] as string } : {};
}

const outcomes: Readonly<Record<string, string>> = {
  failed: "failed",
  timed_out: "timed out",
  blocked: "refused",
  cancelled: "cancelled",
  running: "still runs",
};

function timeOf({ createdAt }: RunView, at: string | undefined): { at?: number } {
  if (createdAt === undefined || at === undefined) return {};
  return { at: Math.max(0, Date.parse(at) - Date.parse(createdAt)) };
}
