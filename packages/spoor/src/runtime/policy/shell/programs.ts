/** What is known about the arguments of a program. */
export interface Program {
  /** Options that make it run a command or load code. They make the command opaque. */
  runs?: readonly string[];
  /** Options whose value is a file that it writes. */
  writes?: readonly string[];
  /** What it does with the paths among its arguments. Without it, they may be read or written. */
  operands?: "read" | "write" | "none";
  /** Its arguments without a dash are addresses. */
  fetches?: true;
  /** Options whose value is an address. */
  hosts?: readonly string[];
}

const reader: Program = { operands: "read" };
const writer: Program = { operands: "write" };
const printer: Program = { operands: "none" };

/** Programs that only print, only read, or write the files that they are given, and options that do more than that. */
export const programs: Readonly<Record<string, Program>> = {
  ...named(
    "echo printf true false : test [ sleep date pwd whoami id uname hostname seq yes exit return break continue",
    printer,
  ),
  ...named(
    "cat head tail wc ls stat file nl od xxd hexdump strings md5sum sha1sum sha256sum cksum cmp comm du df tree",
    reader,
  ),
  ...named(
    "grep egrep fgrep zgrep zcat cut column fold jq realpath readlink basename dirname tac rev paste join",
    reader,
  ),
  ...named("rm rmdir mv cp ln install touch mkdir chmod chown chgrp truncate shred unlink tee mkfifo rsync", writer),
  diff: { operands: "read", writes: ["--output"] },
  uniq: { operands: "write" },
  sort: { operands: "read", runs: ["--compress-program"], writes: ["-o", "--output"] },
  rg: { operands: "read", runs: ["--pre", "--hostname-bin"] },
  ag: { operands: "read", runs: ["--pager"] },
  less: { operands: "read", runs: ["+!", "+|", "-k", "--lesskey-src"], writes: ["-o", "-O", "--log-file"] },
  more: { operands: "read", runs: ["+!"] },
  man: { operands: "none", runs: ["-P", "--pager", "-H", "--html", "-C", "--config-file"] },
  tar: {
    runs: [
      "--to-command",
      "--checkpoint-action",
      "-I",
      "--use-compress-program",
      "-F",
      "--info-script",
      "--new-volume-script",
      "--rsh-command",
      "--rmt-command",
    ],
  },
  zip: { runs: ["-TT", "--unzip-command"] },
  ...named("vi vim nvim view ex ed emacs nano", {
    runs: ["-c", "--cmd", "-S", "-s", "-u", "+", "--eval", "--batch", "--script", "-l", "--load", "-f", "--funcall"],
  }),
  ...named("gdb lldb", {
    runs: ["-ex", "-x", "-o", "-s", "--args", "-batch", "--command", "--eval-command", "--source", "--one-line"],
  }),
  ...named("sqlite3 psql mysql", {
    runs: ["-c", "-e", "-f", "-cmd", "-init", "--command", "--execute", "--file", "--pager"],
  }),
  make: { runs: ["--eval", "-E"] },
  curl: {
    fetches: true,
    runs: [
      "-K",
      "--config",
      "--resolve",
      "--connect-to",
      "--unix-socket",
      "--abstract-unix-socket",
      "--doh-url",
      "--engine",
    ],
    writes: [
      "-o",
      "--output",
      "-D",
      "--dump-header",
      "-c",
      "--cookie-jar",
      "--trace",
      "--trace-ascii",
      "--output-dir",
      "--stderr",
    ],
    hosts: ["-x", "--proxy", "--preproxy", "--socks5", "--socks5-hostname", "--socks4", "--socks4a", "--url", "-e"],
  },
  wget: {
    fetches: true,
    runs: ["-e", "--execute", "--use-askpass", "--config", "-i", "--input-file"],
    writes: [
      "-O",
      "--output-document",
      "-o",
      "--output-file",
      "-a",
      "--append-output",
      "-P",
      "--directory-prefix",
      "--save-cookies",
    ],
  },
  ...named("http https xh lynx w3m links elinks aria2c fetch ftp telnet ping dig nslookup host whois", {
    fetches: true,
  }),
  ...named("nc ncat netcat socat", {
    fetches: true,
    runs: ["-e", "-c", "--exec", "--sh-exec", "--lua-exec", "EXEC", "SYSTEM", "exec:", "system:"],
  }),
  ...named("ssh slogin mosh autossh", {
    fetches: true,
    runs: ["-o", "-F", "-P", "-S", "-E", "-I", "--ssh", "--server"],
  }),
  ...named("scp sftp", { runs: ["-S", "-o", "-F", "-D"] }),
  rsync: { operands: "write", runs: ["-e", "--rsh", "--rsync-path", "--early-input"] },
  docker: { runs: ["-H", "--host"] },
  split: { runs: ["--filter"] },
};

/** Commands whose effect is a text that is not judged. */
export const opaqueCommands: Readonly<Record<string, string>> = {
  eval: "runs a text",
  source: "runs a file in the same shell",
  ".": "runs a file in the same shell",
  alias: "gives a command another meaning",
  trap: "runs a text later",
  enable: "replaces built-in commands",
  bind: "binds keys to commands",
  complete: "binds completion to commands",
  compgen: "can run commands",
  hash: "gives a command another meaning",
  shopt: "changes how commands are read",
  setopt: "changes how commands are read",
  unsetopt: "changes how commands are read",
  emulate: "changes how commands are read",
  zmodload: "loads code into the shell",
  autoload: "loads code into the shell",
  fc: "runs commands of the history",
  parallel: "runs texts of its input",
  at: "runs a text later",
  batch: "runs a text later",
  crontab: "runs texts later",
  script: "runs a shell",
  screen: "runs a shell",
  tmux: "runs a shell",
  expect: "runs a script that controls programs",
  "systemd-run": "runs a command elsewhere",
  "start-stop-daemon": "runs a command elsewhere",
  nsenter: "runs a command elsewhere",
  unshare: "runs a command elsewhere",
  bwrap: "runs a command elsewhere",
  firejail: "runs a command elsewhere",
  ld: "loads code",
};

/** Variables that change which code a later command runs, or where it finds its settings. */
export const changesCommands =
  /^(PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|FPATH|ZDOTDIR|HOME|PWD|OLDPWD|SHELL|LD_.*|DYLD_.*|GIT_.*|SSH_ASKPASS|GPG_.*|NODE_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|LUA_.*|PHP.*|npm_config_.*|NPM_CONFIG_.*|EDITOR|VISUAL|.*PAGER|LESSOPEN|LESSCLOSE|BROWSER|SUDO_ASKPASS|XDG_.*|RIPGREP_CONFIG_PATH|CURL_HOME|WGETRC|MAKEFLAGS|GREP_OPTIONS|TAR_OPTIONS|RSYNC_RSH|CVS_RSH|SPOOR_.*)$/;

/** Shells that take a text with `-c`. */
export const shells = new Set("sh bash dash ash ksh mksh zsh rbash yash posh hush".split(" "));

/** Interpreters, and the options with which they still only run a file or print something. */
export const interpreters: readonly { name: RegExp; harmless: RegExp }[] = [
  { name: /^(python|pypy)[\d.]*$/, harmless: /^(-m|-[uBsSEIOvbd]+|-V|--version|-h|--help)$/ },
  {
    name: /^(node|nodejs|deno|bun|tsx|ts-node)$/,
    harmless:
      /^(-v|--version|-h|--help|--test|--watch|--check|--no-warnings|--experimental-\S+|--conditions=\S+|--enable-source-maps)$/,
  },
  {
    name: /^(perl|ruby|php|lua|luajit|julia|R|Rscript|tclsh|wish|osascript|groovy|jshell|irb|ghci|erl|elixir|iex|racket|guile|sbcl|clisp|swift|scala|kotlin|pwsh|powershell|fish|nu|elvish|csh|tcsh|xonsh|dc|bc|m4|jrunscript|gnuplot|octave)[\d.]*$/,
    harmless: /^(-v|--version|-h|--help)$/,
  },
];

/** Keywords are never commands: where the tree has one as a command, it misread the text. */
export const keywords = new Set(
  "if then else elif fi case esac for select while until do done in function { } [[ ]] !".split(" "),
);

function named(names: string, program: Program): Record<string, Program> {
  return Object.fromEntries(names.split(" ").map((name) => [name, program]));
}
