import { expect, it } from "vitest";
import { loadShellParser } from "./parser.ts";
import { readShell } from "./read-shell.ts";
import { wrappers } from "./wrappers.ts";

const parse = await loadShellParser();
const read = (text: string) => readShell(text, { parse, home: "/home/me", cwd: "/work" });

/** A command for each line of the table, and the command that it runs. */
const examples: Readonly<Record<string, [command: string, runs: string][]>> = {
  sudo: [
    ["sudo -n -u root X=1 ls -l", "ls -l"],
    ["sudo --user=me -- ls", "ls"],
  ],
  doas: [["doas -u me ls", "ls"]],
  pkexec: [["pkexec --user me ls", "ls"]],
  run0: [["run0 ls", "ls"]],
  chroot: [["chroot / ls", "ls"]],
  su: [["su me -c 'ls -l'", "ls -l"]],
  runuser: [
    ["runuser -u me -c 'ls'", "ls"],
    ["runuser -u me -- ls", "ls"],
  ],
  env: [
    ["env -i X=1 ls", "ls"],
    ["env -u X ls", "ls"],
    ["env -S 'ls -l' a", "ls -l a"],
  ],
  time: [["time -p ls", "ls"]],
  nice: [
    ["nice -n 5 ls", "ls"],
    ["nice -5 ls", "ls"],
    ["nice --adjustment=5 ls", "ls"],
  ],
  nohup: [["nohup ls", "ls"]],
  timeout: [
    ["timeout -k 1 -s KILL 5 ls", "ls"],
    ["timeout --signal=KILL 5 ls", "ls"],
  ],
  stdbuf: [["stdbuf -oL -e0 ls", "ls"]],
  ionice: [["ionice -c3 ls", "ls"]],
  chrt: [["chrt -f 1 ls", "ls"]],
  taskset: [["taskset -c 0 ls", "ls"]],
  setsid: [["setsid -w ls", "ls"]],
  setarch: [["setarch x86_64 ls", "ls"]],
  linux32: [["linux32 ls", "ls"]],
  linux64: [["linux64 ls", "ls"]],
  fakeroot: [["fakeroot ls", "ls"]],
  eatmydata: [["eatmydata ls", "ls"]],
  unbuffer: [["unbuffer -p ls", "ls"]],
  caffeinate: [["caffeinate -i -t 5 ls", "ls"]],
  strace: [["strace -f -e open ls", "ls"]],
  ltrace: [["ltrace -f ls", "ls"]],
  command: [["command -p ls", "ls"]],
  builtin: [["builtin echo a", "echo a"]],
  exec: [["exec -a name ls", "ls"]],
  coproc: [["coproc ls", "ls"]],
  noglob: [["noglob ls", "ls"]],
  nocorrect: [["nocorrect ls", "ls"]],
  "-": [["- ls", "ls"]],
  busybox: [["busybox ls", "ls"]],
  toybox: [["toybox ls", "ls"]],
  xargs: [
    ["xargs -n 1 ls -l", "ls -l …"],
    ["xargs -I% ls % x", "ls … x …"],
  ],
  watch: [["watch -n 1 'ls -l'", "ls -l"]],
  flock: [
    ["flock -n file ls", "ls"],
    ["flock file -c 'ls -l'", "ls -l"],
  ],
  npx: [
    ["npx -y -p x ls", "ls"],
    ["npx -c 'ls -l'", "ls -l"],
  ],
  bunx: [["bunx --bun ls", "ls"]],
  pnpx: [["pnpx ls", "ls"]],
};

it("every line of the table has an example", () => {
  expect(Object.keys(examples)).toEqual(Object.keys(wrappers));
});

it.each(Object.values(examples).flat())("%j runs %j", (command, runs) => {
  const parts = read(command);
  expect(parts.filter(({ kind }) => kind === "opaque")).toEqual([]);
  const commands = parts.flatMap((part) =>
    part.kind === "command" ? [part.words.map(({ literal }) => literal ?? "…").join(" ")] : [],
  );
  expect(commands.slice(1)).toContain(runs);
});

it.each(Object.keys(wrappers).filter((name) => name !== "-"))("%s with an unknown option is opaque", (name) => {
  expect(read(`${name} --spoor-unknown ls`).map(({ kind }) => kind)).toContain("opaque");
});

it("looking a command up does not run it", () => {
  expect(read("command -v rm").filter(({ kind }) => kind === "command")).toHaveLength(1);
});
