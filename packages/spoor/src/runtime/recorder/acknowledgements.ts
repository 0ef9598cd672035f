import type { Effect } from "../../log/effects.ts";
import type { LogDraft } from "../../log/log.ts";

/** A command that the run carries out. */
export interface TakenCommand {
  command_id: string;
  /** Who sent it. */
  by: string | null;
  reason?: string | undefined;
}

/** Ends commands in the same commit as the events that they cause. */
export class Acknowledgements {
  readonly #waiting = new Map<string, TakenCommand[]>();

  /** The next event of this type is the effect of the command. */
  expect(type: string, command: TakenCommand): void {
    this.#waiting.set(type, [...(this.#waiting.get(type) ?? []), command]);
  }

  /** The command was refused: no event is its effect. */
  forget(command_id: string): void {
    for (const [type, commands] of this.#waiting) {
      const rest = commands.filter((command) => command.command_id !== command_id);
      if (rest.length > 0) this.#waiting.set(type, rest);
      else this.#waiting.delete(type);
    }
  }

  /** Adds to events who asked for them, and returns what ends the commands. */
  complete(drafts: readonly LogDraft[]): { drafts: readonly LogDraft[]; effects: Effect[] } {
    const effects: Effect[] = [];
    if (this.#waiting.size === 0) return { drafts, effects };
    const completed = drafts.map((draft) => {
      const commands = this.#waiting.get(draft.type) ?? [];
      const [first] = commands;
      if (!first) return draft;
      this.#waiting.delete(draft.type);
      effects.push(...commands.map(({ command_id }) => endOfCommand(command_id, "done")));
      return { ...draft, json: JSON.stringify({ ...JSON.parse(draft.json), ...toldBy(first) }) };
    });
    return { drafts: completed, effects };
  }

  /** The run is over: what was not done will not be done. */
  refuseRest(detail: string): Effect[] {
    const rest = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return rest.map(({ command_id }) => endOfCommand(command_id, "refused", detail));
  }
}

/** Who asked for an event, as its data says it. */
export const toldBy = ({ command_id, by, reason }: TakenCommand): Record<string, unknown> => ({
  command_id,
  ...(by !== null && { by }),
  ...(reason !== undefined && reason !== "" && { reason }),
});

/** Ends a command, unless it has ended already. */
export const endOfCommand = (
  command_id: string,
  outcome: "done" | "refused",
  detail: string | null = null,
): Effect<"commands"> => ({
  do: "update",
  table: "commands",
  key: command_id,
  when: { done_at: null },
  ifDiffers: "keep",
  // What was said is in the event, where secrets are replaced.
  set: { done_at: Date.now(), outcome, detail, body: null },
});
