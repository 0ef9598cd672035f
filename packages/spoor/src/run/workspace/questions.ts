import type { HostAction, HostNote } from "../../agents/host.ts";
import type { Answer, LaunchRequest } from "../../agents/machine.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface QuestionsHost {
  approve: LaunchRequest["approve"];
  note(note: HostNote): unknown;
}

type GuardedAction = Extract<HostAction, { do: "write" | "run" }>;

export interface PermissionContext {
  /** Why the action needs permission even if the agent was granted it; undefined if the target is not protected. */
  protection?: string | undefined;
  /** The diff that the person who is asked sees. */
  diff?(): Promise<string | undefined>;
}

/** Asks for permission before Spoor carries out a request of the agent, unless the agent has asked for permission itself. */
export class Questions {
  isCancelled = false;
  readonly #host: QuestionsHost;
  readonly #open = new Map<string, (answer: Answer) => void>();
  #count = 0;

  constructor(host: QuestionsHost) {
    this.#host = host;
  }

  /**
   * Resolves if the action is allowed, and rejects if not. A protected action always needs a question of Spoor's own that
   * was granted.
   */
  async permit(
    action: GuardedAction,
    isPermitted: boolean,
    { protection, diff }: PermissionContext = {},
  ): Promise<void> {
    const { approve } = this.#host;
    if (approve === "deny") {
      throw this.#refused(
        `Nothing may be ${action.do === "write" ? "written" : "run"} in this run: ${detailOf(action)}`,
      );
    }
    if (approve === "auto" && protection === undefined) return;
    if (approve === "auto") {
      throw this.#refused(`${detailOf(action)} is not written without asking (--approve ask): ${protection}.`);
    }
    if (isPermitted && protection === undefined) return;
    const { granted, text } = await this.#ask(action, protection, await diff?.());
    if (!granted)
      throw new WorkspaceError(this.isCancelled ? "cancelled" : "refused", text ?? "Permission was refused.");
  }

  answer(id: string, answer: Answer): boolean {
    const resolve = this.#open.get(id);
    if (!resolve) return false;
    this.#open.delete(id);
    const reason = answer.text !== undefined && { reason: answer.text };
    this.#host.note({ told: [{ kind: "answer", id, granted: answer.granted, ...reason }] });
    resolve(answer);
    return true;
  }

  cancel(): void {
    this.isCancelled = true;
    for (const id of [...this.#open.keys()]) this.answer(id, cancelled);
  }

  #refused(reason: string): WorkspaceError {
    this.#host.note({ told: [{ kind: "denied", reason }] });
    return new WorkspaceError("refused", reason);
  }

  #ask(action: GuardedAction, protection: string | undefined, diff: string | undefined): Promise<Answer> {
    if (this.isCancelled) return Promise.resolve(cancelled);
    const id = `spoor:workspace:${++this.#count}`;
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      const detail = protection === undefined ? detailOf(action) : `${detailOf(action)} (${protection})`;
      const risk = protection === undefined ? kinds[action.do].risk : "high";
      const asked = {
        id,
        detail,
        action: kinds[action.do].action,
        risk,
        input: inputOf(action),
        ...(diff !== undefined && { diff }),
        ...(action.do === "write" && { writes: action.path }),
        ...(protection !== undefined && { isProtected: true as const }),
      };
      this.#host.note({ told: [{ kind: "ask", ...asked }] });
    });
  }
}

const cancelled: Answer = { granted: false, text: "The run was interrupted." };

const kinds = {
  write: { action: "file_write", risk: "medium" },
  run: { action: "shell", risk: "high" },
} as const;

/** Leaves out the environment, because it may hold secrets and does not help to judge the action. */
const inputOf = (action: GuardedAction): object =>
  action.do === "write"
    ? { path: action.path, content: action.content }
    : { command: action.command, args: action.args, ...(action.cwd !== undefined && { cwd: action.cwd }) };

const detailOf = (action: GuardedAction): string =>
  action.do === "write" ? action.path : [action.command, ...action.args].join(" ");
