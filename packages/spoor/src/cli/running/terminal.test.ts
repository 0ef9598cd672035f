import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { hostileTexts, unsafe, withoutOurs } from "../../../testing/cli/hostile-corpus.ts";
import { bin, createPlace, hasTerminal } from "../../../testing/cli/process.ts";
import { openTerminal, type TerminalOptions } from "../../../testing/cli/terminal.ts";

const place = createPlace("terminal");
afterAll(() => place.remove());
const programs = fileURLToPath(new URL("../../../testing/cli/programs/", import.meta.url));
const workspace = path.join(realpathSync(place.home), "project");
mkdirSync(workspace);

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
const command = (program: string) => ["--command", `"${process.execPath}" "${path.join(programs, program)}"`];

async function open(
  argv: readonly string[],
  { after = "", ...options }: Partial<TerminalOptions & { after: string }> = {},
) {
  const line = `${[process.execPath, bin, ...argv].map(quoted).join(" ")}${after}`;
  const env = { PATH: process.env.PATH, HOME: place.home, SPOOR_HOME: place.data, LANG: "C.UTF-8", ...options.env };
  const terminal = await openTerminal(line, { cwd: workspace, ...options, env });
  onTestFinished(() => terminal.close());
  return terminal;
}

/** A run of the fake agent that does these things. */
function agent(steps: readonly (readonly unknown[])[]): string[] {
  const file = path.join(place.home, `prompt-${Math.random().toString(36).slice(2)}.json`);
  // The fake agent reads lines as Node does, which also end at these two characters.
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16)}`;
  writeFileSync(file, JSON.stringify({ do: steps }).replaceAll(/[\u2028\u2029]/g, escaped));
  return ["run", "claude", "--prompt-file", file, ...command("hostile-claude.mjs")];
}

/** Whether the terminal is as it was before. */
function expectRestored(terminal: Awaited<ReturnType<typeof open>>): void {
  expect(terminal.modes()).toEqual({ isCursorShown: true, wraps: true });
  expect(terminal.settings()).toMatch(/(^|\s)icanon(\s|;)/);
  expect(terminal.settings()).toMatch(/(^|\s)echo(\s|;)/);
  // The title of before was restored, and no line of the end of the screen is left.
  expect(terminal.raw()).toContain("\u001b[23;2t");
  expect(terminal.text()).not.toMatch(/^(◐|◓|◑|◒|▲) (Working|Needs you)|^─{10}/m);
}

/** By how much the clock of a command is slower where its half second counts. */
const SLOWER = 4;

const hostile = hostileTexts.flatMap((text) => [
  ["say", text],
  ["call", "Bash", { command: `echo ${text}` }, `${text}\nsecond line\n${text}`],
  ["call", "Read", { file_path: `/tmp/${text}` }, text, { isError: true }],
]);

describe.runIf(hasTerminal)("spoor run on a terminal", { timeout: 120_000 }, () => {
  it.each([40, 80, 200])("shows hostile output harmlessly in %i columns", async (columns) => {
    const terminal = await open(agent(hostile), { columns });
    expect(await terminal.exited).toBe(0);
    const rest = withoutOurs(terminal.raw()).replaceAll("\r\n", "\n");
    expect(unsafe.exec(rest)?.[0]).toBeUndefined();
    expect(rest).not.toContain("\u001b");
    // No line is longer than the terminal, so the terminal had to wrap none.
    expect(terminal.wrapped()).toEqual([]);
    expect(terminal.text()).toContain("\\u001b[2J");
    // Nothing of the agent begins like one of our lines.
    expect(terminal.text()).toMatch(/^ ● Edit forged\.js/m);
    expect(terminal.text()).not.toMatch(/^\p{M}*(● Edit forged|▲ May it|✗ forged|──|❯ a forged)/mu);
    expect(terminal.text()).toMatch(/\(\d,\d{3} columns\)/);
    expectRestored(terminal);
  });

  it("says first which version of the agent works where, and leaves the version out if there is no room", async () => {
    const steps = [["say", "Hello."]];
    const wide = await open(agent(steps));
    expect(await wide.exited).toBe(0);
    expect(wide.text()).toMatch(/^claude 9\.9\.9\\u001b\[2J · ~\/project · …\w{6}\n\nHello\./);
    const shown = await open(["show"]);
    expect(await shown.exited).toBe(0);
    expect(shown.text()).toMatch(/\nclaude 9\.9\.9\\u001b\[2J · ~\/project · /);
    const narrow = await open(agent(steps), { columns: 40 });
    expect(await narrow.exited).toBe(0);
    expect(narrow.text()).toMatch(/^claude · ~\/project · …\w{6}\n\nHello\./);
  });

  it("keeps a status line and what runs at the end of the screen, and takes them away", async () => {
    const gate = path.join(place.home, "slept");
    const steps = [
      ["say", "Reading."],
      ["call", "Read", { file_path: path.join(workspace, "a.js") }, "one\ntwo"],
      ["call", "Bash", { command: "sleep 2" }, "slept", { until: gate }],
      ["say", "Done."],
    ];
    const terminal = await open(agent(steps));
    await terminal.shows(/[◐◓◑◒] Run sleep 2 [1-9]\d* s\n─{79}\n◐ Working · .*0:\d\d .*Ctrl-C stop$/);
    expect(terminal.modes().isCursorShown).toBe(false);
    writeFileSync(gate, "");
    expect(await terminal.exited).toBe(0);
    expect(terminal.text()).toMatch(
      /Reading\.\n● Read a\.js 2 lines.*\n● Run sleep 2 [1-9][\d.]* s\n {2}│ slept\nDone\.\n✓ Done in 0:\d\d/,
    );
    expect(terminal.text()).toMatch(/\nspoor show …\w{6} · spoor diff …\w{6}$/);
    expectRestored(terminal);
  });

  it("keeps the status line at the end while the size changes, and leaves none behind", async () => {
    const steps = Array.from({ length: 12 }, (_, index) => [
      [
        "say",
        `This is sentence ${index} of a text that is long enough to be wrapped in a narrow window of a terminal.`,
      ],
      ["pause", 150],
    ]).flat();
    const terminal = await open(agent(steps), { columns: 100 });
    await terminal.shows(/sentence 2/);
    terminal.resize(40, 24);
    await terminal.shows(/sentence 5/);
    terminal.resize(120, 30);
    await terminal.shows(/sentence 8/);
    terminal.resize(60, 9);
    expect(await terminal.exited).toBe(0);
    for (let index = 0; index < 12; index += 1) expect(terminal.text().split(`sentence ${index} `)).toHaveLength(2);
    expectRestored(terminal);
  });

  it("cleans up after Ctrl-C", async () => {
    const terminal = await open(["run", "claude", "hang", ...command("fake-claude.mjs")]);
    await terminal.shows(/Waiting\.[\s\S]*Working/);
    terminal.type("typed, and not shown\r");
    terminal.type("\u0003");
    expect(await terminal.exited).toBe(130);
    expect(terminal.text()).toContain("■ Interrupted");
    expect(terminal.text()).not.toContain("not shown");
    expectRestored(terminal);
  });

  it("cleans up before Ctrl-\\ ends it", async () => {
    const terminal = await open(["run", "claude", "hang", ...command("fake-claude.mjs")]);
    await terminal.shows(/Waiting\.[\s\S]*Working/);
    terminal.type("\u001c");
    expect(await terminal.exited).toBe(131);
    expectRestored(terminal);
  });

  it("refuses questions in CI, and says why", async () => {
    const terminal = await open(["run", "claude", "run it", ...command("fake-claude.mjs")], { env: { CI: "true" } });
    expect(await terminal.exited).toBe(17);
    expect(terminal.text()).toContain("▲ refused, because nobody can be asked: Bash rm -rf dist");
    expect(terminal.text()).toContain("this is CI (the variable CI is set)");
  });

  it("refuses questions that nobody would see, because standard error goes to a file", async () => {
    const errors = path.join(place.home, "errors");
    const terminal = await open(["run", "claude", "run it", ...command("fake-claude.mjs")], { after: ` 2> ${errors}` });
    expect(await terminal.exited).toBe(17);
    expect(readFileSync(errors, "utf8")).toContain("standard error, where questions are shown, is not a terminal");
  });

  it("cleans up after SIGKILL of the agent, and says what happened", async () => {
    const terminal = await open(agent([["say", "Soon."], ["call", "Bash", { command: "x" }, "y"], ["kill"]]));
    expect(await terminal.exited).toBe(12);
    expect(terminal.text()).toMatch(/✗ Failed in/);
    expectRestored(terminal);
  });

  it("asks by one key, which counts from half a second on", async () => {
    // The clock of the command is slow, so that a key comes early enough from a slow machine, too.
    const slow = `const { now } = Date, start = now(); Date.now = () => Math.round(start + (now() - start) / ${SLOWER});`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slow)}` };
    const terminal = await open(["run", "claude", "run it", ...command("fake-claude.mjs")], { env });
    await terminal.shows(/y allow {2}n deny {2}r deny with a reason {2}v what led here › *\n─+\n▲ Needs you/);
    expect(terminal.raw()).toContain("\u001b]2;spoor: ▲ run it\u0007");
    terminal.type("n");
    await sleep(500 * SLOWER + 100);
    expect(terminal.text()).not.toContain("› denied");
    terminal.type("v");
    await terminal.shows(/what led here › what led here\n {2}asked\n {4}run it\n/);
    await sleep(500 * SLOWER + 100);
    terminal.type("y");
    expect(await terminal.exited).toBe(0);
    expect(terminal.text()).toMatch(
      /▲ May it run this command\? high risk · .*denied in \d+:\d\d.*\n {4}rm -rf dist\n/,
    );
    expect(terminal.text()).toContain("It is gone.");
    expectRestored(terminal);
  });

  it("shows the end of a reason that is longer than the window, and takes all of it", async () => {
    const terminal = await open(["run", "claude", "run it", ...command("fake-claude.mjs")], { columns: 40 });
    await terminal.shows(/› *\n─+\n▲ Needs you/);
    await sleep(600);
    terminal.type("r");
    await terminal.shows(/Why not\? ›/);
    terminal.type("because this reason is much longer than one line of the windowx");
    await terminal.shows(/Why not\? › ….*line of the windowx *\n─+\n/);
    // A special key does nothing, also when it arrives together with others.
    terminal.type("\u007f\u001b[D.\r");
    expect(await terminal.exited).toBe(0);
    expect(terminal.wrapped()).toEqual([]);
    const { stdout } = await place.spoor(["events", "last", "--json", "--type", "approval.resolved"]);
    expect(stdout).toContain("because this reason is much longer than one line of the window.");
    expectRestored(terminal);
  });

  it("takes a question away that somebody else answers while a reason is typed", async () => {
    const terminal = await open(["run", "claude", "run it", ...command("fake-claude.mjs")]);
    await terminal.shows(/what led here › *\n─+\n▲ Needs you/);
    await sleep(600);
    terminal.type("r");
    await terminal.shows(/Why not\? ›/);
    terminal.type("half a rea");
    await terminal.shows(/half a rea/);
    const { stdout } = await place.spoor(["approvals", "--json"]);
    await place.spoor(["deny", JSON.parse(stdout).approval_id, "-m", "Use git rm."]);
    expect(await terminal.exited).toBe(0);
    expect(terminal.text()).toMatch(/\n▲ denied from another terminal \(cli:.*\): Use git rm\.\n● Run rm/);
    expect(terminal.text()).not.toContain("half a rea");
    expect(terminal.text().split("▲ denied")).toHaveLength(2);
    expectRestored(terminal);
  });

  it("asks again after the size of the window has changed", async () => {
    const terminal = await open(["run", "claude", "run it", ...command("fake-claude.mjs")], { columns: 100 });
    await terminal.shows(/what led here › *\n─+\n▲ Needs you/);
    terminal.resize(40, 24);
    await terminal.shows(/\ny allow {2}n deny › *\n─{39}\n▲ Needs you 0:\d\d$/);
    terminal.resize(90, 24);
    await terminal.shows(/what led here › *\n─{89}\n▲ Needs you .*$/);
    await sleep(600);
    terminal.type("y");
    expect(await terminal.exited).toBe(0);
    expect(terminal.text()).toMatch(/› allowed\n● Run rm -rf dist.*\n {2}│ done\nIt is gone\.\n✓ Done/);
  });

  it("is stopped by Ctrl-Z with the terminal restored, and asks again when it goes on", async () => {
    const line = [process.execPath, bin, "run", "claude", "run it", ...command("fake-claude.mjs")]
      .map(quoted)
      .join(" ");
    const env = { PATH: process.env.PATH, HOME: place.home, SPOOR_HOME: place.data, LANG: "C.UTF-8", PS1: "% " };
    const terminal = await openTerminal("sh -im", { cwd: workspace, env, columns: 200 });
    onTestFinished(() => terminal.close());
    terminal.type(`${line}\r`);
    await terminal.shows(/what led here › *\n─+\n▲ Needs you/);
    terminal.type("\u001a");
    await terminal.shows(/Stopped[\s\S]*\n% *$/);
    expect(terminal.modes()).toEqual({ isCursorShown: true, wraps: true });
    terminal.type("stty -a\r");
    await terminal.shows(/\sicanon\s[\s\S]*\secho\s/);
    terminal.type("fg\r");
    await terminal.shows(/% fg[\s\S]*\ny allow .*what led here › *\n─+\n▲ Needs you/);
    await sleep(600);
    terminal.type("y");
    await terminal.shows(/› allowed\n● Run rm[\s\S]*✓ Done in[\s\S]*\n% *$/);
  });

  it("shows the end of what a failed command printed, also if nobody knows its exit code", async () => {
    const printed = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
    const terminal = await open(agent([["call", "Bash", { command: "make" }, printed, { isError: true }]]), {
      columns: 40,
    });
    expect(await terminal.exited).toBe(0);
    expect(terminal.text()).toMatch(/● Run make\n {2}│ … 22 more lines\n {2}│ line 22\n(.*\n){7} {2}✗ failed/);
  });

  it("shows an action whole, however long it is", async () => {
    const long = `echo ${"word ".repeat(400)}&& rm -rf /`;
    const terminal = await open(["run", "claude", long, ...command("fake-claude.mjs")], { columns: 60 });
    await terminal.shows(/› *\n─+\n▲ Needs you/);
    const shown = terminal.text().replaceAll(/\s+/g, " ");
    expect(shown).toContain(long);
    await sleep(600);
    terminal.type("n");
    expect(await terminal.exited).toBe(0);
  });

  it.each([
    [{ NO_COLOR: "1" }, "●"],
    [{ TERM: "dumb" }, "●"],
    [{ CI: "true" }, "●"],
    [{ NO_COLOR: "1", LANG: "C", LC_ALL: "C" }, "\\*"],
  ])("writes no codes at all with %j", async (env, mark) => {
    const terminal = await open(
      agent([
        ["say", "Hello."],
        ["call", "Bash", { command: "ls" }, "a\nb"],
      ]),
      { env },
    );
    expect(await terminal.exited).toBe(0);
    expect(terminal.raw()).not.toContain("\u001b");
    expect(terminal.raw()).toMatch(new RegExp(`Hello\\.\\r\\n${mark} Run ls`));
  });
});

describe.runIf(hasTerminal)("the demo on a terminal", { timeout: 120_000 }, () => {
  it.each([40, 80, 200])("looks as it should in %i columns", async (columns) => {
    const terminal = await open(["demo", "--yes"], { columns });
    expect(await terminal.exited).toBe(0);
    const folder = /spoor-demo-\w+/.exec(terminal.text().replaceAll("\n", ""))?.[0] ?? "";
    rmSync(path.join("/tmp", folder || "spoor-demo-none"), { recursive: true, force: true });
    const shown = steady(terminal.text());
    await expect(shown).toMatchFileSnapshot(`../../../testing/cli/screens/demo-${columns}.txt`);
    expectRestored(terminal);
  });
});

/** The screen without what differs each time. */
function steady(text: string): string {
  const start = text.search(/^loop/m);
  const end = text.search(/^Look at it/m);
  return text
    .slice(start, end)
    .replaceAll(/spoor-demo-\w+/g, "spoor-demo-XXXXXX")
    .replaceAll(/…[0-9A-Z]{6}/g, "…ABCDEF")
    .replaceAll(/ \d+(\.\d+)? m?s$/gm, "")
    .replaceAll(/ · \d+(\.\d+)? m?s · /g, " · 0 ms · ")
    .replaceAll(/in 0:\d\d/g, "in 0:00");
}
