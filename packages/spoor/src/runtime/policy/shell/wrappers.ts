/** A program that runs another one, which its own arguments name. */
export interface Wrapper {
  /** Short options without a value, as letters. */
  flags?: string;
  /** Short options with a value, as letters. */
  values?: string;
  longFlags?: readonly string[];
  longValues?: readonly string[];
  /** How many arguments come before the command. */
  skip?: number;
  /** `NAME=value` words may come before the command. */
  assigns?: true;
  /** It adds words that it reads from its input. */
  fed?: true;
  /** The command is a text for a shell, not a list of words. */
  text?: true;
  /** An option whose value is a text for a shell. */
  script?: readonly string[];
  /** With one of these options it only looks a command up. */
  lookUp?: readonly string[];
  /** It gives the command other rights or another root, so a rule must allow the wrapper itself, too. */
  matters?: true;
}

const plain: Wrapper = {};

/** Every option that is not in the table makes the command opaque, since its value could be the command. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: "AbEHkKnPSs",
    values: "Cghprtu",
    longFlags: ["--askpass", "--background", "--preserve-env", "--set-home", "--non-interactive", "--stdin", "--shell"],
    longValues: ["--user", "--group", "--host", "--prompt", "--close-from"],
    assigns: true,
    matters: true,
  },
  doas: { flags: "nL", values: "Cu", matters: true },
  pkexec: { longValues: ["--user"], longFlags: ["--disable-internal-agent"], matters: true },
  run0: { matters: true },
  chroot: { skip: 1, longValues: ["--userspec", "--groups"], matters: true },
  su: { flags: "lmp", script: ["-c", "--command"], longFlags: ["--login"], skip: 1, matters: true },
  runuser: { flags: "lmp", values: "ugG", script: ["-c", "--command"], matters: true },
  env: {
    flags: "i0v",
    values: "u",
    longFlags: ["--ignore-environment", "--null", "--debug"],
    longValues: ["--unset"],
    assigns: true,
    script: ["-S", "--split-string"],
  },
  time: { flags: "pv" },
  nice: { values: "n", longValues: ["--adjustment"] },
  nohup: plain,
  timeout: {
    flags: "vfp",
    values: "ks",
    longFlags: ["--foreground", "--preserve-status", "--verbose"],
    longValues: ["--kill-after", "--signal"],
    skip: 1,
  },
  stdbuf: { values: "ioe", longValues: ["--input", "--output", "--error"] },
  ionice: { flags: "t", values: "cn", longValues: ["--class", "--classdata"] },
  chrt: { flags: "bfior", skip: 1 },
  taskset: { flags: "ac", skip: 1 },
  setsid: { flags: "cfw", longFlags: ["--fork", "--wait", "--ctty"] },
  setarch: { flags: "R", skip: 1 },
  linux32: plain,
  linux64: plain,
  fakeroot: plain,
  eatmydata: plain,
  unbuffer: { flags: "p" },
  caffeinate: { flags: "dimsu", values: "tw" },
  strace: { flags: "fFqvxytTkiCcdr", values: "eobEsuaPO" },
  ltrace: { flags: "fSirtTcC", values: "eolnsau" },
  command: { flags: "p", lookUp: ["-v", "-V"] },
  builtin: plain,
  exec: { flags: "cl", values: "a" },
  coproc: plain,
  noglob: plain,
  nocorrect: plain,
  "-": plain,
  busybox: { longFlags: ["--list", "--help"] },
  toybox: plain,
  xargs: {
    flags: "0rtopx",
    values: "aEILnPsd",
    longFlags: ["--null", "--no-run-if-empty", "--verbose", "--interactive", "--exit", "--open-tty"],
    longValues: ["--arg-file", "--delimiter", "--max-lines", "--max-args", "--max-procs", "--max-chars", "--replace"],
    fed: true,
  },
  watch: {
    flags: "bcdegtpw",
    values: "nq",
    longFlags: ["--color", "--differences", "--no-title"],
    longValues: ["--interval"],
    text: true,
  },
  flock: { flags: "senoxF", values: "wE", script: ["-c", "--command"], skip: 1 },
  npx: {
    flags: "yq",
    values: "p",
    longFlags: ["--yes", "--no", "--no-install", "--quiet"],
    longValues: ["--package"],
    script: ["-c", "--call"],
  },
  bunx: { longFlags: ["--bun", "--silent"], longValues: ["--package"], values: "p" },
  pnpx: plain,
};

/** Other names of the same programs. */
export const sameProgram: Readonly<Record<string, string>> = {
  gtimeout: "timeout",
  genv: "env",
  gnice: "nice",
  gnohup: "nohup",
  gstdbuf: "stdbuf",
  gxargs: "xargs",
  gchroot: "chroot",
  gfind: "find",
  gsed: "sed",
  gtar: "tar",
  bsdtar: "tar",
  gsort: "sort",
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  original_awk: "awk",
};
