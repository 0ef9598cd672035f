import type { HostAction } from "../../agents/host.ts";
import type { Answer, LaunchRequest } from "../../agents/machine.ts";
import type { Signal } from "../../agents/signal.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface QuestionsHost {
  approve: LaunchRequest["approve"];
  tell(signals: Signal[]): void;
}

type Guarded = Extract<HostAction, { do: "write" | "run" }>;

/** Our own questions about what an agent wants done by us, where it has not asked permission for that itself. */
export class Questions {
  isCancelled = false;
  readonly #host: QuestionsHost;
  readonly #open = new Map<string, (answer: Answer) => void>();
  #count = 0;

  constructor(host: QuestionsHost) {
    this.#host = host;
  }

  /** Resolves when it may be done; rejects when it may not. */
  async permit(action: Guarded, isPermitted: boolean): Promise<void> {
    const { approve, tell } = this.#host;
    if (approve === "auto" || (approve === "ask" && isPermitted)) return;
    if (approve === "deny") {
      const reason = `Nothing may be ${action.do === "write" ? "written" : "run"} in this run: ${detailOf(action)}`;
      tell([{ kind: "denied", reason }]);
      throw new WorkspaceError("refused", reason);
    }
    const { granted, text } = await this.#ask(action);
    if (!granted)
      throw new WorkspaceError(this.isCancelled ? "cancelled" : "refused", text ?? "Permission was refused.");
  }

  answer(id: string, answer: Answer): boolean {
    const resolve = this.#open.get(id);
    if (!resolve) return false;
    this.#open.delete(id);
    const reason = answer.text !== undefined && { reason: answer.text };
    this.#host.tell([{ kind: "answer", id, granted: answer.granted, ...reason }]);
    resolve(answer);
    return true;
  }

  cancel(): void {
    this.isCancelled = true;
    for (const id of [...this.#open.keys()]) this.answer(id, cancelled);
  }

  #ask(action: Guarded): Promise<Answer> {
    if (this.isCancelled) return Promise.resolve(cancelled);
    const id = `spoor:workspace:${++this.#count}`;
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      this.#host.tell([{ kind: "ask", id, detail: detailOf(action), ...kinds[action.do] }]);
    });
  }
}

const cancelled: Answer = { granted: false, text: "The run was interrupted." };

const kinds = {
  write: { action: "file_write", risk: "medium" },
  run: { action: "shell", risk: "high" },
} as const;

const detailOf = (action: Guarded): string =>
  action.do === "write" ? action.path : [action.command, ...action.args].join(" ");
