import { diffLinesOf } from "@spoor/protocol/write";
import type { PendingInteraction } from "../../run/interaction-channel.ts";
import { diffRoles } from "../output/diff-roles.ts";
import { clock } from "../output/format.ts";
import type { Part } from "../output/line.ts";
import type { Screen } from "../output/screen.ts";
import type { QuestionFacts } from "./question-facts.ts";

export type Question = Pick<
  PendingInteraction,
  "type" | "description" | "detail" | "toolName" | "riskLevel" | "input" | "diff" | "truncated"
>;

/**
 * Shows a question with everything a person needs to decide: the whole action, and the diff of a change or the input of the
 * tool. An action is never cut, because its end may be what matters.
 */
export function showQuestion(screen: Screen, question: Question, facts: QuestionFacts = {}, most = MOST_LINES): void {
  const { type, description, detail, riskLevel } = question;
  screen.endLine();
  screen.blank();
  screen.line([
    { text: `▲ ${facts.asker === undefined ? "" : `${facts.asker}: `}${headingOf(question)}`, role: "yellow" },
    ...(riskLevel === undefined ? [] : [{ text: `${riskLevel} risk`, role: risks[riskLevel] }]),
    ...secondFacts(facts),
  ]);
  const isNamed = type === "input" || detail.startsWith(description) || commandOf(question) === detail;
  if (!isNamed && description !== "") screen.whole(description, "    ");
  if (detail.trim() !== "") screen.whole(detail.trimEnd(), "    ");
  showEvidence(screen, question, most);
}

/** Shows the diff or the input of a question. */
export function showEvidence(screen: Screen, question: Question, most: number): void {
  const { diff, input, detail, truncated } = question;
  const lines =
    diff === undefined
      ? inputLines(input, detail)
      : diff
          .trimEnd()
          .split("\n")
          .filter((line) => !OF_GIT.test(line));
  const roles = diff === undefined ? [] : [...diffLinesOf(lines.join("\n"))].map(({ sign }) => diffRoles[sign]);
  for (const [index, line] of lines.slice(0, most).entries()) screen.whole(line, "    ", roles[index]);
  const left = lines.length - most;
  if (left > 0)
    screen.line([{ text: `    … ${left.toLocaleString("en")} more lines: v shows all of them`, role: "dim" }]);
  else if (truncated) screen.line([{ text: "    … and more than is recorded", role: "dim" }]);
}

function headingOf(question: Question): string {
  if (question.type === "input") return "The agent asks";
  if (commandOf(question) !== undefined) return "May it run this command?";
  return question.diff === undefined ? "May it do this?" : "May it make this change?";
}

function commandOf({ input }: Question): string | undefined {
  const command = (input as { command?: unknown } | null | undefined)?.command;
  return typeof command === "string" ? command : undefined;
}

function secondFacts({ rule, expiresAt }: QuestionFacts): Part[] {
  const left = expiresAt === undefined ? undefined : expiresAt - Date.now();
  return [
    ...(rule ? [{ text: `rule: ${rule}`, role: "dim" as const, join: " · ", leaves: 1 }] : []),
    ...(left !== undefined && left > 0
      ? [{ text: `denied in ${clock(left)}`, role: "dim" as const, join: " · ", leaves: 2 }]
      : []),
  ];
}

const risks = { low: "dim", medium: "yellow", high: "red" } as const;

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

/** Lines of a diff that say nothing to a person: the names are in the next lines, and hashes mean nothing here. */
const OF_GIT = /^(diff --git|index) /;

/** The most lines of a diff or an input that are shown at once. */
const MOST_LINES = 60;
