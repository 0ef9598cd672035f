import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { places } from "../places.ts";
import { routes, runScreens } from "../routes.ts";
import { MAX_FILTER } from "../runs/filter.ts";
import { visibleLine } from "../text/visible.ts";
import { AgentTile } from "../ui/agent-tile.tsx";
import { type Command, useOfferedCommands } from "../ui/commands.ts";
import { copyText } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ago, plural, shortId } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { keyLabel } from "../ui/keys.ts";
import { shownState } from "../ui/run-state.ts";
import { StateChip } from "../ui/state-chip.tsx";
import { theme, toggleTheme } from "../ui/theme.ts";
import { useNow } from "../ui/use-now.ts";
import { matching } from "./matching.ts";
import styles from "./search.module.css";
import { type FoundRuns, useFoundRuns } from "./use-found-runs.ts";

interface SearchProps {
  onClose: () => void;
  onHelp: () => void;
  onNewRun: () => void;
}

/** ⌘K: finds runs of the whole log and commands of the page. A combobox: the focus stays in the field. */
export default function Search({ onClose, onHelp, onNewRun }: SearchProps) {
  const [, go] = useLocation();
  const [text, setText] = useState("");
  // What was chosen by arrows or the pointer stays chosen when answers arrive. Before that it is the first.
  const [chosen, setChosen] = useState<string>();
  const [isEntered, setEntered] = useState(false);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const words = text.trim();
  const latest = useFoundRuns(words);
  // The runs that were opened last are no answer to what is typed.
  const found = words !== "" && latest.text === "" ? { ...latest, runs: [] } : latest;
  const commands = matching(useCommandList({ go, onHelp, onNewRun }), words);
  const isSearching = found.text !== words;
  const shown = words === "" ? commands.slice(0, MOST_COMMANDS) : commands;
  const options: readonly Option[] = [
    ...found.runs.map(({ run_id }) => ({ key: run_id, act: () => go(routes.run(run_id)) })),
    ...shown.map(({ name, run }) => ({ key: name, act: run })),
    ...(words === "" ? [] : [{ key: "list", act: () => go(`${routes.runs()}?${new URLSearchParams({ q: words })}`) }]),
  ];
  const active = Math.max(
    0,
    options.findIndex(({ key }) => key === chosen),
  );
  const choose = (index: number) => {
    const option = options[index];
    if (!option) return;
    onClose();
    option.act();
  };
  // A run that an earlier text found is not what was asked for.
  const isOutdated = isSearching && active < found.runs.length && chosen === undefined;
  useEffect(() => {
    if (!isEntered || isOutdated) return;
    setEntered(false);
    choose(active);
  });
  const option = (index: number) => ({
    id: `${id}-${index}`,
    role: "option" as const,
    "aria-selected": index === active,
    className: styles.option,
    // The focus must stay in the field.
    onMouseDown: (event: { preventDefault: () => void }) => event.preventDefault(),
    onMouseMove: () => setChosen(options[index]?.key),
    onClick: () => choose(index),
  });

  useEffect(() => {
    list.current?.querySelector(`#${CSS.escape(`${id}-${active}`)}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);

  const onKeyDown = (event: KeyboardEvent) => {
    // The Enter that ends the writing of a sign chooses nothing.
    if (event.nativeEvent.isComposing) return;
    const to = moves[event.key]?.(active, options.length);
    if (to !== undefined) setChosen(options[to]?.key);
    else if (event.key === "Enter") setEntered(true);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Search" form="bare" onClose={onClose}>
      <div className={styles.field}>
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Search runs and commands"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={options.length > 0 ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          placeholder="Search titles, prompts, agents, paths, or commands"
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_FILTER}
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(undefined);
            setEntered(false);
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <NoRuns found={found} isSearching={isSearching} />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label="Found" className={styles.list}>
        <Runs found={found} option={option} />
        {shown.length > 0 && (
          <div {...group("Commands")}>
            <p className={styles.head} aria-hidden="true">
              Commands
            </p>
            {shown.map(({ name, icon, shortcut }, index) => (
              <div key={name} {...option(found.runs.length + index)}>
                <Icon name={icon ?? "right"} small />
                <span className="cut">{name}</span>
                <span className="push" />
                {shortcut && <kbd>{keyLabel(shortcut)}</kbd>}
              </div>
            ))}
          </div>
        )}
        {words !== "" && (
          <div {...option(found.runs.length + shown.length)}>
            <Icon name="list" small />
            <span className="cut">Show all runs with “{words}” in the list</span>
          </div>
        )}
      </div>
      <p className="heard" role="status">
        {isSearching ? "" : (found.problem ?? `${plural(found.runs.length, "run")} found.`)}
      </p>
    </Dialog>
  );
}

/** A line of the list. */
interface Option {
  readonly key: string;
  readonly act: () => void;
}

/** Before anything is typed, only this many commands are shown. */
const MOST_COMMANDS = 8;

const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % Math.max(1, count),
  ArrowUp: (at, count) => (at + Math.max(1, count) - 1) % Math.max(1, count),
  PageDown: (at, count) => Math.min(at + 8, count - 1),
  PageUp: (at) => Math.max(at - 8, 0),
};

/** A group of options. A fieldset would be a form inside of a list. */
const group = (name: string) => ({ role: "group" as const, "aria-label": name });

function NoRuns({ found, isSearching }: { found: FoundRuns; isSearching: boolean }) {
  if (found.runs.length > 0 || (found.text === "" && !found.problem)) return null;
  return <p className={styles.none}>{found.problem ?? (isSearching ? "Searching …" : "No run matches.")}</p>;
}

interface RunsProps {
  found: FoundRuns;
  option: (index: number) => object;
}

function Runs({ found, option }: RunsProps) {
  const now = useNow(10_000);
  if (found.runs.length === 0) return null;
  return (
    <div {...group("Runs")}>
      <p className={styles.head} aria-hidden="true">
        {found.text === "" ? "Recent runs" : "Runs"}
      </p>
      {found.runs.map((run, index) => (
        <div key={run.run_id} {...option(index)}>
          <AgentTile agent={run.agent} />
          <span className={`cut ${styles.title}`}>
            {visibleLine(run.title ?? `${run.agent} ${shortId(run.run_id)}`)}
          </span>
          <span className="push" />
          <small className="dim num">{ago(run.ended_at ?? run.created_at, now)}</small>
          <span className={styles.state}>
            <StateChip state={shownState(run, now)} />
          </span>
        </div>
      ))}
    </div>
  );
}

interface Ways {
  go: (path: string) => void;
  onHelp: () => void;
  onNewRun: () => void;
}

/** What is on the screen comes first, then what works everywhere. */
function useCommandList({ go, onHelp, onNewRun }: Ways): readonly Command[] {
  const offered = useOfferedCommands();
  const [isRun, parameters] = useRoute("/runs/:id/:view?");
  const runId = isRun ? parameters.id : undefined;
  return useMemo(
    () => [
      ...offered,
      ...(runId === undefined ? [] : runCommands(runId, go)),
      { name: "New run", icon: "plus", shortcut: "n", words: "start task demo", run: onNewRun } as const,
      ...places.map(({ name, href, icon, key }) => ({
        name: `Go to ${name}`,
        icon,
        shortcut: `g ${key}`,
        run: () => go(href),
      })),
      {
        name: "Light or dark",
        icon: "thought",
        shortcut: "shift+t",
        words: "theme",
        run: () => void toggleTheme(),
      } as const,
      { name: "Theme as the system", icon: "thought", words: "light dark", run: () => theme.write("system") } as const,
      {
        name: "Keys and settings",
        icon: "question",
        shortcut: "?",
        words: "help shortcuts notifications",
        run: onHelp,
      } as const,
    ],
    [offered, runId, go, onHelp, onNewRun],
  );
}

function runCommands(runId: string, go: (path: string) => void): Command[] {
  return [
    ...runScreens.map((screen, index) => ({
      name: `This run: ${screen}`,
      icon: "right" as const,
      shortcut: String(index + 1),
      run: () => go(routes.run(runId, screen)),
    })),
    { name: "This run: copy its id", icon: "copy", run: () => void copyText(runId) },
    { name: "This run: copy its link", icon: "link", run: () => void copyText(location.href) },
  ];
}
