import { type FormEvent, useRef, useState } from "react";
import { useLocation } from "wouter";
import { client } from "../live/client.ts";
import { once } from "../live/once.ts";
import { useRuns } from "../live/use-runs.ts";
import { routes } from "../routes.ts";
import { useHome } from "../text/folder.tsx";
import { fromHome } from "../text/from-home.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { keyLabel, useKeys } from "../ui/keys.ts";
import { messageOf } from "../ui/message-of.ts";
import { useStored } from "../ui/stored.ts";
import { AgentChoice } from "./agent-choice.tsx";
import { limitsOf } from "./agents.ts";
import { type Draft, draft, emptyDraft, type Field, LOOP, type Problems, problemsOf, taskOf } from "./draft.ts";
import { FormField } from "./form-field.tsx";
import styles from "./new-run.module.css";
import { type KnownAgents, useAgents } from "./use-agents.ts";
import { useDemo } from "./use-demo.ts";

/** The fields that are folded away while they are empty. */
const folded = ["model", "budget", "approve", "rules", "turns", "minutes"] as const satisfies Field[];

/** The form for a new run. What was typed stays in this browser until the run was started. */
export default function NewRun({ onClose }: { onClose: () => void }) {
  const [, go] = useLocation();
  const kept = useStored(draft);
  const known = useAgents();
  const { agents } = known;
  const { runs } = useRuns();
  const demo = useDemo();
  const [problems, setProblems] = useState<Problems>({});
  const [isStarting, setStarting] = useState(false);
  // The folded fields open when they have something to show. Emptying the last one does not fold them under the reader.
  const [isUnfolded, setUnfolded] = useState(folded.some((name) => kept[name] !== ""));
  const form = useRef<HTMLFormElement>(null);
  const values = withAgent(kept, agents);
  const limits = limitsOf(agents?.find(({ agent }) => agent === values.agent));

  const change = (changes: Partial<Draft>) => {
    draft.write({ ...draft.read(), ...changes });
    setProblems((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in changes))));
  };
  const show = (found: Problems) => {
    setStarting(false);
    setProblems(found);
    if (folded.some((name) => found[name] !== undefined)) setUnfolded(true);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  const start = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isStarting) return;
    setStarting(true);
    // Looking for agents may take the server seconds. Somebody who leaves the choice to the form need not wait for that.
    const found = draft.read().agent === "" ? await known.answered() : agents;
    const typed = withAgent(draft.read(), found);
    const asked = taskOf(typed);
    if ("problems" in asked) return show(asked.problems);
    try {
      const { latest_run_id } = await once(["task", asked.task], (call) => client.tasks.create(asked.task, call));
      draft.write({ ...emptyDraft, agent: typed.agent, folder: typed.folder, place: typed.place });
      go(latest_run_id === undefined ? routes.runs() : routes.run(latest_run_id));
    } catch (error) {
      show(problemsOf(messageOf(error)));
    }
  };
  useKeys({ "mod+enter": () => void start() }, { inDialog: true });

  const text = (name: Field) => ({
    value: values[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });
  const home = useHome();
  const folders = recent(runs.map(({ workspace_path: path }) => path && fromHome(path, home)));
  const models = recent(runs.filter(({ agent }) => agent === values.agent).map(({ model }) => model));

  return (
    <Dialog title="New run" form="wide" onClose={onClose}>
      <form ref={form} className={styles.form} noValidate onSubmit={(event) => void start(event)}>
        <AgentChoice
          known={known}
          chosen={values.agent}
          problem={problems.agent}
          onChoose={(agent) => change({ agent })}
        />
        <FormField label="What shall it do?" problem={problems.prompt}>
          {(aria) => (
            <textarea {...aria} {...text("prompt")} rows={4} data-first-focus placeholder="Fix the failing test" />
          )}
        </FormField>
        <FormField label="Folder" problem={problems.folder} hint="Empty: the folder in which the server was started.">
          {(aria) => (
            <input {...aria} {...text("folder")} list="new-run-folders" spellCheck={false} autoComplete="off" />
          )}
        </FormField>
        <datalist id="new-run-folders">
          {folders.map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
        <FormField label="Works in" problem={problems.place}>
          {(aria) => (
            <select {...aria} {...text("place")}>
              <option value="in_place">the folder itself</option>
              <option value="worktree">a git worktree of its own</option>
              <option value="clone">a clone of its own</option>
            </select>
          )}
        </FormField>
        <details
          className={styles.more}
          open={isUnfolded}
          onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
        >
          <summary>Model, budget, permission, limits</summary>
          <div className={styles.grid}>
            <FormField
              label="Model"
              problem={problems.model}
              hint={values.agent === LOOP ? "As provider/model, such as demo/tour." : "Empty: the agent’s own choice."}
            >
              {(aria) => (
                <input {...aria} {...text("model")} list="new-run-models" spellCheck={false} autoComplete="off" />
              )}
            </FormField>
            <datalist id="new-run-models">
              {models.map((model) => (
                <option key={model} value={model} />
              ))}
            </datalist>
            <FormField label="Budget in $" problem={problems.budget} hint={limits.budget ?? "Empty: no limit."}>
              {(aria) => (
                <input
                  {...aria}
                  {...text("budget")}
                  inputMode="decimal"
                  placeholder="1.00"
                  disabled={limits.budget !== undefined}
                />
              )}
            </FormField>
            <FormField label="When it asks for permission" problem={problems.approve} hint={limits.approve}>
              {(aria) => (
                <select {...aria} {...text("approve")}>
                  <option value="">as the rules say</option>
                  <option value="ask" disabled={limits.approve !== undefined}>
                    ask me
                  </option>
                  <option value="auto">allow what its own rules allow</option>
                  <option value="deny">refuse everything</option>
                </select>
              )}
            </FormField>
            <FormField label="Most turns" problem={problems.turns}>
              {(aria) => <input {...aria} {...text("turns")} inputMode="numeric" placeholder="no limit" />}
            </FormField>
            <FormField label="Most minutes" problem={problems.minutes}>
              {(aria) => <input {...aria} {...text("minutes")} inputMode="decimal" placeholder="no limit" />}
            </FormField>
            <FormField label="Rules for this run" problem={problems.rules} hint="One per line, such as: ask shell rm *">
              {(aria) => <textarea {...aria} {...text("rules")} rows={2} spellCheck={false} className={styles.mono} />}
            </FormField>
          </div>
        </details>
        <footer className={styles.foot}>
          {(problems.form ?? demo.problem) !== undefined && (
            <p className={styles.problem} role="alert">
              {problems.form ?? demo.problem}
            </p>
          )}
          <button
            type="button"
            className={`btn quiet ${styles.demo}`}
            title="Needs no key and no agent, and works in a scratch folder"
            disabled={demo.isStarting}
            onClick={demo.start}
          >
            {demo.isStarting ? "Starting" : "Try the demo"}
          </button>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn primary" disabled={isStarting}>
            <Icon name="play" small />
            {isStarting ? "Starting" : "Start"} <kbd>{keyLabel("mod+enter")}</kbd>
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The draft with the agent that the form chooses if nobody chose one: the first that is here. */
const withAgent = (typed: Draft, agents: KnownAgents["agents"]): Draft =>
  typed.agent === "" ? { ...typed, agent: agents?.find(({ installed }) => installed)?.agent ?? "" } : typed;

/** The last few different values, the newest first. */
function recent(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))].slice(0, 8);
}
