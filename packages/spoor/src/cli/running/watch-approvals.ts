import type { Log } from "../../log/log.ts";
import type { Row } from "../../log/tables.ts";
import { ApprovalError } from "../../runtime/approvals/approval-error.ts";
import { answerApproval } from "../../runtime/commands/answer-approval.ts";
import { approvalJson } from "../../runtime/commands/record-json.ts";
import { principalOf } from "../../runtime/execution/principal.ts";
import { describe } from "../history/find-approval.ts";
import type { Io } from "../io.ts";
import { Display } from "../output/display.ts";
import { endOfId } from "../output/format.ts";
import { printJson } from "../output/json.ts";
import { createScreen } from "../output/screen.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { askDecision, type Desk, ENDED } from "./ask.ts";
import { dropTyped } from "./drop-typed.ts";
import { Keyboard } from "./keyboard.ts";
import { nobodyThere } from "./nobody-there.ts";
import { showEvidence, showQuestion } from "./question-text.ts";

/**
 * Shows approvals as they are asked and decided, until the process is interrupted. At a terminal, it asks for answers, and the
 * end of the input (Ctrl-D) ends it, too.
 */
export async function watchApprovals(log: Log, io: Io, { json }: { json: boolean }): Promise<void> {
  const asks = !json && nobodyThere(io) === undefined;
  const startedAt = Date.now();
  const shown = new Map<string, string>();
  /** Aborts the question that is asked now, if somebody else decides it. */
  const asking = new Map<string, AbortController>();
  const display = new Display(io);
  const keyboard = new Keyboard(io.stdin, display);
  const desk: Desk = { display, screen: createScreen(display, "stderr"), keyboard };
  if (asks) keyboard.start();
  let turn: Promise<void> = Promise.resolve();
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);

  const show = (row: Row<"approvals">): void => {
    const before = shown.get(row.approval_id);
    // What was decided before is of no interest, but a new one may be decided at once.
    const isOld = row.status !== "pending" && row.requested_at < startedAt;
    if (before === row.status || (before === undefined && isOld)) return;
    shown.set(row.approval_id, row.status);
    if (row.status !== "pending") asking.get(row.approval_id)?.abort();
    if (json) printJson(io.stdout, approvalJson(row));
    else if (!asks || row.status !== "pending") io.stdout.write(`${terminalSafe(describe(row).join("  "))}\n`);
    if (asks && row.status === "pending") turn = turn.then(() => ask(row)).catch(() => {});
  };

  async function ask(row: Row<"approvals">): Promise<void> {
    if (!keyboard.isRaw) await dropTyped(io.stdin);
    if (io.stdin.readableEnded) onSignal();
    const current = await log.rows.find("approvals", row.approval_id);
    if (current?.status !== "pending" || stop.signal.aborted) return;
    const over = new AbortController();
    asking.set(row.approval_id, over);
    const signal = AbortSignal.any([over.signal, stop.signal]);
    try {
      const { action = "", detail = "", input } = JSON.parse(row.action ?? "{}");
      const question = {
        ...{ type: "approval" as const, description: action, detail, input },
        ...(row.diff !== null && { diff: row.diff }),
        ...(isRisk(row.risk) && { riskLevel: row.risk }),
      };
      const facts = { rule: row.rule ?? undefined, expiresAt: row.expires_at ?? undefined };
      showQuestion(desk.screen, question, { ...facts, asker: `…${endOfId(row.run_id)}` });
      const showTrail = () => showEvidence(desk.screen, question, Number.POSITIVE_INFINITY);
      const given = await askDecision({ ...desk, showTrail }, signal);
      if (given === ENDED) onSignal();
      if (given === undefined || given === ENDED) return;
      const decision = "approve" in given ? "approve" : "reject";
      const comment = "deny" in given ? given.reason : undefined;
      const answer = { approval_id: row.approval_id, decision, by: principalOf("cli") } as const;
      await answerApproval(log, { ...answer, ...(comment !== undefined && { comment }) });
    } catch (error) {
      if (error instanceof ApprovalError) io.stderr.write(`${terminalSafe(error.message)}\n`);
      else if (!signal.aborted) throw error;
    } finally {
      asking.delete(row.approval_id);
    }
  }

  // Watching a log does not keep a process alive by itself.
  const alive = setInterval(() => {}, 60_000);
  const unwatch = log.watchRows((table, key) => {
    if (table !== "approvals") return;
    log.rows.find("approvals", key).then(
      (row) => row && show(row),
      () => {},
    );
  });
  try {
    const open = await log.rows.list("approvals", {
      where: { status: "pending" },
      order: "requested_at",
      limit: 1_000,
    });
    if (open.rows.length === 0 && !json) io.stderr.write("Nothing waits for permission. Ctrl-C ends the watch.\n");
    for (const row of open.rows) show(row);
    await new Promise<void>((resolve) => {
      stop.signal.addEventListener("abort", () => resolve(), { once: true });
      log.closed.addEventListener("abort", () => resolve(), { once: true });
      if (stop.signal.aborted) resolve();
    });
  } finally {
    display.close();
    keyboard.stop();
    clearInterval(alive);
    unwatch();
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

const isRisk = (risk: string | null): risk is "low" | "medium" | "high" =>
  risk === "low" || risk === "medium" || risk === "high";
