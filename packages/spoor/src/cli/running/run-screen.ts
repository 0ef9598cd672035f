import type { AgentEvent } from "@spoor/protocol";
import type { ExitReason } from "@spoor/protocol/write";
import type { Run } from "../../run/run.ts";
import type { DecidedElsewhere } from "../../runtime/execution/door.ts";
import type { Io } from "../io.ts";
import { Display } from "../output/display.ts";
import { endOfId } from "../output/format.ts";
import { fits, type Part } from "../output/line.ts";
import { createScreen, type Screen } from "../output/screen.ts";
import type { RunFacts } from "../render/facts.ts";
import { keepLive } from "../render/live-run.ts";
import { fromHome, pathsIn } from "../render/paths.ts";
import { firstLine, RunRenderer } from "../render/run-renderer.ts";
import { type Ending, endLine, headerLine } from "../render/status-line.ts";
import type { ViewOptions } from "../render/view-options.ts";
import type { Desk } from "./ask.ts";
import { decidedText } from "./elsewhere.ts";
import { Keyboard } from "./keyboard.ts";
import { pageOf } from "./run-output.ts";

export interface RunScreenOptions extends ViewOptions {
  cwd: string | undefined;
  prompt: string;
  isRecorded: boolean;
}

/** Shows a run that this process performs: what the agent does on standard output, everything about it on standard error. */
export class RunScreen {
  readonly display: Display;
  readonly desk: Desk;
  readonly #renderer: RunRenderer;
  readonly #about: Screen;
  readonly #handle: Run;
  readonly #options: RunScreenOptions;
  readonly #keyboard: Keyboard;
  #hasHeader = false;
  /** The version of the agent, if it reports one. */
  #version: string | undefined;
  /** Questions that somebody else has answered. */
  readonly #decided = new Set<string>();
  /** Set when questions are answered at this terminal. */
  isAnswered: (interactionId: string) => boolean = () => false;

  constructor(io: Io, handle: Run, options: RunScreenOptions) {
    this.#handle = handle;
    this.#options = options;
    this.display = new Display(io);
    this.#about = createScreen(this.display, "stderr");
    this.#keyboard = new Keyboard(io.stdin, this.display);
    this.#renderer = new RunRenderer(createScreen(this.display), {
      output: options.output ?? "some",
      thinking: options.thinking ?? false,
      run: options.isRecorded ? endOfId(handle.recordId) : undefined,
      runId: handle.runId,
      path: pathsIn(options.cwd),
      isAnswered: (id) => this.isAnswered(id) || this.#decided.has(id),
    });
    this.desk = {
      display: this.display,
      screen: questionScreen(this.#about, () => this.#renderer.flush()),
      keyboard: this.#keyboard,
      showTrail: () => this.#showTrail(),
    };
    this.#renderer.facts.startedAt = Date.now();
  }

  /** Begins to keep the status line at the end of the screen. */
  start(): void {
    if (!this.display.canDraw) return;
    this.#keyboard.start();
    const stop = () => (this.#renderer.facts.isStopping ? "Ctrl-C again kills it" : "Ctrl-C stop");
    keepLive(this.display, this.#renderer, { title: firstLine(this.#options.prompt), stop });
  }

  /** Shows that the agent was asked to stop, and what to do if it does not. */
  interrupted(): void {
    this.#renderer.facts.isStopping = true;
    if (this.display.canDraw) this.display.refresh();
    else if (Number.isFinite(this.display.err.columns)) this.say("The agent was asked to stop. Ctrl-C again kills it.");
  }

  event(event: AgentEvent): void {
    if (event.type === "session_start" && !this.#hasHeader) this.#version = event.agentVersion;
    if (!this.#hasHeader && !beforeHeader.has(event.type)) this.#showHeader(event);
    this.#renderer.event(event);
    this.display.refresh();
  }

  /** Shows that somebody else has answered a question. */
  decided(decided: DecidedElsewhere): void {
    this.#decided.add(decided.approval_id);
    this.say(decidedText(decided));
  }

  /** Shows a sentence about the run. */
  say(text: string): void {
    this.#renderer.flush();
    this.#about.paragraph(text);
  }

  /** Shows how the run ended. `changed` is what the log knows of its changes. */
  end(reason: ExitReason, changed?: RunFacts["changed"]): void {
    this.#renderer.end();
    this.#renderer.facts.changed = changed;
    this.display.keep(undefined);
    this.#about.line(endLine(this.#renderer.facts, { how: endings[reason] ?? "failed", now: Date.now() }));
  }

  /** Says where to look at a recorded run. Returns false where that is not a terminal. */
  async hints(directory: string): Promise<boolean> {
    if (!Number.isFinite(this.display.err.columns)) return false;
    const url = await pageOf(directory, this.#handle.recordId);
    const id = endOfId(this.#handle.recordId);
    const hint = (text: string): Part => ({ text, role: "dim", join: " · " });
    const commands = [hint(`spoor show …${id}`), hint(`spoor diff …${id}`)];
    const all = [...commands, ...(url === undefined ? [] : [hint(url)])];
    const hasRoom = fits(all, this.#about.style);
    this.#about.line(hasRoom ? all : commands);
    // An address that is cut would be of no use.
    if (!hasRoom && url !== undefined) this.#about.paragraph(url, "", "dim");
    return true;
  }

  /** Restores the terminal. */
  close(): void {
    this.#renderer.flush();
    this.display.close();
    this.#keyboard.stop();
  }

  #showHeader(event: AgentEvent): void {
    this.#hasHeader = true;
    if (!Number.isFinite(this.display.err.columns)) return;
    const { cwd, isRecorded } = this.#options;
    const model = event.type === "turn_start" ? event.model : this.#handle.model;
    const facts = {
      agent: this.#handle.agent,
      version: this.#version,
      ...(model !== undefined && { model }),
      ...(cwd !== undefined && { folder: fromHome(cwd) }),
      ...(isRecorded && { id: endOfId(this.#handle.recordId) }),
    };
    this.#about.line(headerLine(facts, this.#about.style));
    this.#about.blank();
  }

  /** What a person may want to know before an answer: what was asked, and what the agent did and said last. */
  #showTrail(): void {
    const { calls, said } = this.#renderer.trail();
    const about = this.#about;
    about.line([{ text: "  asked", role: "dim" }]);
    about.paragraph(this.#options.prompt.trim(), "    ");
    if (calls.length > 0) about.line([{ text: "  did", role: "dim" }]);
    for (const line of calls) about.line(["   ", ...line]);
    if (said.trim() !== "") {
      about.line([{ text: "  said", role: "dim" }]);
      about.paragraph(said.trim(), "    ");
    }
  }
}

/** The screen for questions. Everything that happened before a question is shown first. */
function questionScreen(screen: Screen, before: () => void): Screen {
  return {
    ...screen,
    endLine() {
      before();
      screen.endLine();
    },
  };
}

/** Events that come before the model is known. */
const beforeHeader: ReadonlySet<string> = new Set([
  ...["debug", "log", "session_start", "session_resume", "session_fork", "plugin_loaded", "skill_loaded"],
  ...["skill_agentdoc_read", "stream_fallback", "approval_request", "approval_granted"],
]);

const endings: Partial<Record<ExitReason, Ending>> = {
  completed: "completed",
  interrupted: "interrupted",
  aborted: "aborted",
  timeout: "timed_out",
};
