import type { RunView } from "@spoor/protocol";
import { isOver, type StoredRun } from "../../log/records.ts";
import type { ArtifactRow } from "../../runtime/artifacts/index.ts";
import { columnsOf, cutPath, padEnd } from "../output/columns.ts";
import { clock, costWord, dayAndTime, dollars, endOfId } from "../output/format.ts";
import type { Line, Part } from "../output/line.ts";
import { plural } from "../output/plural.ts";
import type { Screen } from "../output/screen.ts";
import { visible } from "../output/visible.ts";
import { verbOfKind } from "../render/call.ts";
import { factsOf } from "../render/call-lines.ts";
import { fromHome, pathsIn } from "../render/paths.ts";
import { timeLine } from "../render/time-bar.ts";
import { gapLine } from "./gap-text.ts";
import { GIT_SETTINGS, gitSettingsLines } from "./git-settings.ts";
import type { ShownState } from "./run-state.ts";

export interface Summary {
  run: StoredRun;
  view: RunView;
  state: ShownState;
  spans: Parameters<typeof timeLine>[0];
  patches: readonly ArtifactRow[];
  /** What the changes of a file come to, where it was changed several times. */
  sums: readonly { path: string; additions: number; deletions: number }[];
}

/** Shows what a person wants to know of a run first. */
export function showSummary(screen: Screen, summary: Summary): void {
  const { run, view, spans } = summary;
  showHead(screen, summary);
  screen.paragraph("");
  const sections: [name: string, lines: (Line | string)[]][] = [
    ["Asked", view.prompts.map(({ text }) => text)],
    ["Did", didLine(view, screen.style.columns)],
    ["Changed", changedLines(summary, screen.style.columns)],
    ["Time", [timeLine(spans)].filter((parts) => parts.length > 0)],
    ["Git", view.notes.flatMap(({ type, data }) => (type === GIT_SETTINGS ? gitSettingsLines(data) : []))],
    [
      "Errors",
      view.errors.map(
        ({ type, message }): Line => [
          { text: type, role: "red" },
          { text: message.split("\n", 1)[0] ?? "", shrinks: "end" },
        ],
      ),
    ],
    ["Gaps", view.gaps.map((gap): Line => [{ text: gapLine(gap), role: "magenta", shrinks: "end" }])],
    ["Said", view.messages.slice(-1).map(({ text }) => text.trim())],
    ["Run", [idsOf(run)]],
  ];
  for (const [name, lines] of sections) showSection(screen, name, lines);
}

function showHead(screen: Screen, { run, view, state }: Summary): void {
  const { style } = screen;
  const title = (run.title ?? view.prompts[0]?.text ?? run.run_id).split("\n", 1)[0] ?? "";
  const word = `${state.mark} ${state.word.replace(/^./, (letter) => letter.toUpperCase())}`;
  const right = `${word} …${endOfId(run.run_id)}`;
  const width = Math.min(style.columns, 80);
  const gap = Math.max(2, width - columnsOf(visible(title)) - columnsOf(style.plain(right)));
  screen.line([
    { text: title, role: "strong", shrinks: "end" },
    { text: word, role: state.role ?? "green", join: " ".repeat(gap) },
    { text: `…${endOfId(run.run_id)}`, role: "dim" },
  ]);
  const cost = dollars(run.cost_micros_usd);
  const facts = [
    `${run.agent} ${view.agentVersion ?? ""}`.trim(),
    view.model ?? run.model ?? "",
    fromHome(view.workspacePath ?? run.workspace_path ?? ""),
    dayAndTime(run.created_at),
    clock((isOver(run) ? (run.ended_at ?? run.updated_at) : Date.now()) - run.created_at),
    plural(run.turns ?? view.turns.length, "turn"),
    cost === "" ? "" : `${cost} ${costWord(run.cost_source)}`.trim(),
  ];
  screen.line(
    factsOf(facts.flatMap((text, index) => (text === "" ? [] : [{ text, leaves: [0, 3, 2, 4, 0, 1, 0][index] ?? 0 }]))),
  );
}

function showSection(screen: Screen, name: string, lines: readonly (Line | string)[]): void {
  const label = (index: number) => padEnd(index === 0 ? name : "", LABEL);
  let index = 0;
  for (const line of lines) {
    if (typeof line !== "string") {
      screen.line([label(index++), ...withoutJoin(line)]);
      continue;
    }
    screen.labelled(label(index), line);
    index += 1;
  }
}

const withoutJoin = ([first, ...rest]: Line): Line => [
  { ...(typeof first === "string" ? { text: first } : (first as Part)), join: "" },
  ...rest,
];

/** How many calls of each tool there were, and how many failed. */
function didLine({ tools }: RunView, columns: number): (Line | string)[] {
  if (tools.length === 0) return [];
  const counts = new Map<string, { all: number; failed: number }>();
  for (const { kind, name, state } of tools) {
    const verb = verbOfKind(kind) ?? nameOf(name);
    const count = counts.get(verb) ?? { all: 0, failed: 0 };
    const isFailed = state === "failed" || state === "timed_out";
    counts.set(verb, { all: count.all + 1, failed: count.failed + (isFailed ? 1 : 0) });
  }
  const parts = [...counts].flatMap(([verb, { all, failed }], index): Part[] => [
    { text: `${verb} ${all}`, ...(index > 0 && { join: ", " }) },
    ...(failed > 0 ? [{ text: `(${failed} failed)`, role: "red" as const }] : []),
  ]);
  const head = `${plural(tools.length, "call")}:`;
  const text = `${head} ${parts.map((part, index) => `${index > 0 ? (part.join ?? " ") : ""}${part.text}`).join("")}`;
  // A long line is wrapped, without colour.
  return [columnsOf(visible(text)) + LABEL > columns ? text : [head, ...parts]];
}

/** The name of a tool, as the lines of a run have it: `handbook/look_up` for one of an MCP server. */
const nameOf = (name: string): string => name.replace(/^mcp__(.+?)__(.+)$/, "$1/$2");

/** One line for each changed file. What the log knows of its patches comes before what the agent said. */
function changedLines({ run, patches, sums, view }: Summary, columns: number): Line[] {
  const short = pathsIn(view.workspacePath ?? run.workspace_path);
  const files = new Map<string, { sign: string; additions: number; deletions: number; status: string }>();
  const add = (path: string, sign: string, additions: number, deletions: number, status: string) => {
    const known = files.get(path);
    const first = known?.sign === "A" && sign === "M" ? "A" : sign;
    files.set(path, {
      sign: first,
      additions: (known?.additions ?? 0) + additions,
      deletions: (known?.deletions ?? 0) + deletions,
      status,
    });
  };
  for (const { path, operation, before_existed, additions, deletions, status } of patches)
    add(
      path ?? "",
      operation === "delete" ? "D" : before_existed ? "M" : "A",
      additions ?? 0,
      deletions ?? 0,
      status ?? "",
    );
  if (patches.length === 0)
    for (const { path, operation, additions, deletions, status, beforeExisted } of view.files)
      add(
        short(path),
        operation === "delete" ? "D" : operation === "create" || beforeExisted === false ? "A" : "M",
        additions ?? 0,
        deletions ?? 0,
        status,
      );
  // Several changes of a file are shown as what they come to, like `spoor diff` shows them.
  for (const { path, ...counts } of sums) {
    const known = files.get(path);
    if (known) files.set(path, { ...known, ...counts });
  }
  const rows = [...files].map(([path, { sign, additions, deletions, status }]) => {
    const signs = [additions > 0 ? `+${additions}` : "", deletions > 0 ? `-${deletions}` : ""] as const;
    return { path: visible(path), sign, signs, counted: signs.join(" ").trim().length, status };
  });
  // The columns stand below each other as far as there is room.
  const counted = Math.max(0, ...rows.map((row) => row.counted));
  const room = Math.min(40, columns - LABEL - "M ".length - " ".length - counted);
  const width = Math.min(room, Math.max(0, ...rows.map(({ path }) => columnsOf(path))));
  return rows.map(({ path, sign, signs: [additions, deletions], counted: own, status }) => [
    sign,
    { text: padEnd(cutPath(path, Math.max(width, columns - LABEL - 3 - own)), width) },
    { text: additions, role: "green" },
    { text: deletions, role: "red" },
    { text: status, join: " ".repeat(3 + counted - own + (own === 0 && counted > 0 ? 1 : 0)), leaves: 1 },
  ]);
}

const idsOf = ({ run_id, task_id, first_sequence, last_sequence, renormalized_from_run_id }: StoredRun): Line =>
  factsOf(
    [
      run_id,
      task_id,
      `events ${first_sequence} to ${last_sequence}`,
      renormalized_from_run_id === undefined ? "" : `read again from the raw lines of ${renormalized_from_run_id}`,
    ].flatMap((text, index) => (text === "" ? [] : [{ text, role: "dim" as const, leaves: index }])),
  );

const LABEL = 9;
