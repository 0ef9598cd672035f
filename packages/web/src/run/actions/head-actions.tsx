import { useEffect, useState } from "react";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { routes } from "../../routes.ts";
import { announce } from "../../ui/announce.ts";
import { useCommands } from "../../ui/commands.ts";
import { copyText } from "../../ui/copy.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { useKeys } from "../../ui/keys.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { useActionState } from "./action-store.ts";
import styles from "./actions.module.css";
import { type ActionFacts, type ActionId, factsOf, reasonAgainst } from "./availability.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useControls } from "./use-controls.ts";
import { useRunActions } from "./use-run-actions.ts";

/** A second press within this time interrupts. */
const ARMED_MS = 2_000;

/** What can be done with the run: the likely things as buttons, everything in a menu, with the reason where it cannot. */
export function HeadActions({ runId, snapshot }: { runId: string; snapshot: RunSnapshot }) {
  const controls = useControls(snapshot.view.agent ?? snapshot.record?.agent);
  const facts = factsOf(snapshot, controls);
  const actions = useRunActions(runId);
  const { sending } = useActionState(runId);
  const [asking, ask] = useState<ActionId>();
  const [isArmed, setArmed] = useArmed();
  const turns = snapshot.view.turns.reduce((most, { number }) => Math.max(most, number), 1);
  const why = (id: ActionId) => (sending !== undefined ? "Something else is being sent." : reasonAgainst(id, facts));
  const act: Readonly<Record<ActionId, () => void>> = {
    interrupt: actions.interrupt,
    pause: actions.pause,
    unpause: actions.unpause,
    send: focusReply,
    continue: focusReply,
    resume: () => void actions.resume(),
    cancel: () => ask("cancel"),
    retry: () => ask("retry"),
    retryFromTurn: () => ask("retryFromTurn"),
    fork: () => ask("fork"),
  };
  useKeys({
    i: (event) => {
      // A key that is held down is one press.
      if (event.repeat) return;
      if (why("interrupt") !== undefined) {
        announce(why("interrupt") ?? "");
        return;
      }
      if (isArmed) actions.interrupt();
      else announce("Press I again to interrupt the agent.");
      setArmed(!isArmed);
    },
  });
  const offered = facts.isOver ? afterwards : meanwhile;
  useCommands(
    offered
      .filter((id) => why(id) === undefined)
      .map((id) => ({ name: words[id].label, icon: words[id].icon, run: act[id] })),
  );
  const item = (id: ActionId, more: Partial<MenuItem> = {}): MenuItem => ({
    label: words[id].label,
    icon: words[id].icon,
    disabled: why(id),
    onSelect: act[id],
    ...more,
  });
  return (
    <span className={styles.acts}>
      {buttonsOf(facts).map((id) => (
        <button
          key={id}
          type="button"
          className="btn small"
          disabled={why(id) !== undefined}
          title={why(id)}
          onClick={act[id]}
        >
          <Icon name={words[id].icon} small />
          {sending === id ? words[id].sending : id === "interrupt" && isArmed ? "Press I again" : words[id].short}
          {id === "interrupt" && !isArmed && <kbd>I</kbd>}
        </button>
      ))}
      <Menu
        label="More actions"
        className="btn small icon"
        items={[...offered.map((id) => item(id, extras[id])), ...copies(runId, snapshot)]}
      >
        <Icon name="more" small />
      </Menu>
      {asking === "cancel" && <CancelDialog onCancel={actions.cancel} onClose={() => ask(undefined)} />}
      {asking === "retry" && (
        <ConfirmDialog
          title="Retry this run?"
          confirm="Retry"
          onConfirm={() => void actions.retry()}
          onClose={() => ask(undefined)}
        >
          A new run repeats this one from its beginning. It may change files and costs money again. This run stays as it
          is.
        </ConfirmDialog>
      )}
      {asking === "retryFromTurn" && (
        <ConfirmDialog
          title="Retry from a turn?"
          confirm="Retry"
          onConfirm={(turn) => void actions.retryFromTurn(Number(turn))}
          onClose={() => ask(undefined)}
          field={{ label: `The first turn to repeat, 1 to ${turns}`, most: turns }}
        >
          A new run keeps the turns before and repeats the conversation from there on. It may change files and costs
          money again. This run stays as it is.
        </ConfirmDialog>
      )}
      {asking === "fork" && (
        <ConfirmDialog
          title="Fork the conversation"
          confirm="Fork"
          onConfirm={(prompt) => void actions.fork(prompt)}
          onClose={() => ask(undefined)}
          field={{ label: "What the copy shall do now", placeholder: "Continue with the task where you stopped." }}
        >
          {facts.isOver
            ? "A new task goes on with a copy of this conversation. This run stays as it is."
            : "A new task goes on with a copy of this conversation. This run goes on, too. If it holds its folder for itself, the copy is refused until this run is over."}
        </ConfirmDialog>
      )}
    </span>
  );
}

/** The first press of I arms; it is forgotten after two seconds. */
function useArmed(): [isArmed: boolean, set: (isArmed: boolean) => void] {
  const [isArmed, set] = useState(false);
  useEffect(() => {
    if (!isArmed) return;
    const timer = setTimeout(() => set(false), ARMED_MS);
    return () => clearTimeout(timer);
  }, [isArmed]);
  return [isArmed, set];
}

/** What stands beside the title. */
function buttonsOf({ isOver, isPaused }: ActionFacts): readonly ActionId[] {
  if (isOver) return ["continue", "retry", "fork"];
  return isPaused ? ["unpause", "fork"] : ["interrupt", "fork"];
}

const meanwhile: readonly ActionId[] = ["interrupt", "pause", "unpause", "send", "fork", "cancel"];
const afterwards: readonly ActionId[] = ["continue", "resume", "retry", "retryFromTurn", "fork"];
const extras: { readonly [Id in ActionId]?: Partial<MenuItem> } = {
  interrupt: { shortcut: "I I" },
  send: { shortcut: "R" },
  continue: { shortcut: "R" },
  cancel: { isDangerous: true },
};

const words: Readonly<Record<ActionId, { label: string; short: string; sending: string; icon: IconName }>> = {
  interrupt: { label: "Interrupt the agent", short: "Interrupt", sending: "Interrupting…", icon: "minus" },
  cancel: { label: "Cancel the run…", short: "Cancel", sending: "Cancelling…", icon: "cross" },
  pause: { label: "Pause", short: "Pause", sending: "Pausing…", icon: "pause" },
  unpause: { label: "Go on", short: "Go on", sending: "Going on…", icon: "play" },
  send: { label: "Send a follow-up", short: "Follow up", sending: "Sending…", icon: "send" },
  continue: { label: "Continue with a new prompt", short: "Continue", sending: "Starting…", icon: "send" },
  resume: { label: "Resume where it stopped", short: "Resume", sending: "Starting…", icon: "play" },
  retry: { label: "Retry from the beginning…", short: "Retry", sending: "Starting…", icon: "undo" },
  retryFromTurn: { label: "Retry from a turn…", short: "Retry", sending: "Starting…", icon: "undo" },
  fork: { label: "Fork the conversation…", short: "Fork", sending: "Forking…", icon: "fork" },
};

function copies(runId: string, { view, record }: RunSnapshot): MenuItem[] {
  const folder = view.workspacePath ?? record?.workspace_path;
  const copy = (text: string, what: string) =>
    void copyText(text).then((isDone) => announce(isDone ? `Copied ${what}.` : "The browser did not allow copying."));
  return [
    {
      label: "Copy the link",
      icon: "link",
      onSelect: () => copy(`${location.origin}${routes.run(runId)}`, "the link"),
    },
    { label: "Copy the id", icon: "copy", onSelect: () => copy(runId, "the id") },
    {
      label: "Copy the path of its folder",
      icon: "folder",
      disabled: folder === undefined ? "The run has no folder." : undefined,
      onSelect: () => copy(folder ?? "", "the path"),
    },
  ];
}

const focusReply = (): void => document.querySelector<HTMLElement>("[data-reply]")?.focus();
