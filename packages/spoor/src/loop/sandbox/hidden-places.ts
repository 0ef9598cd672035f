import { lstatSync, realpathSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { isInside } from "../../runtime/policy/paths.ts";

/** Folders and files that hold secrets, or sockets through which a command could leave the sandbox. */
const PLACES = [
  ...["/home", "/root", "/tmp", "/var/tmp", "/run", "/var/run", "/mnt/c/Users"],
  ...[
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/ssh",
    "/etc/kubernetes",
  ],
  ...["/var/lib/docker", "/var/lib/kubelet", "/var/spool", "/var/mail", "/var/backups"],
];

/** Variables whose value is the path of such a place, or an address that starts with `unix:`. */
const VARIABLES = [
  ...[
    "HOME",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    "GNUPGHOME",
    "SSH_AUTH_SOCK",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
  ],
  ...["DBUS_SESSION_BUS_ADDRESS", "KUBECONFIG", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "NETRC"],
  ...[
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CLOUDSDK_CONFIG",
    "AZURE_CONFIG_DIR",
    "GH_CONFIG_DIR",
    "NPM_CONFIG_USERCONFIG",
  ],
  ...["CLAUDE_CONFIG_DIR", "CODEX_HOME", "SPOOR_HOME"],
];

/** Folders of programs below the home folder. Programs need them, and they hold no secrets. */
const TOOLS = [
  ...[".nvm", ".volta", ".fnm", ".local/share/fnm", ".local/share/pnpm", ".bun/bin", ".deno/bin", ".yarn/bin"],
  ...[".asdf", ".local/share/mise", ".nix-profile", ".local/bin", ".local/lib", "bin"],
  ...[".cargo/bin", ".cargo/registry", ".rustup", "go/bin", "go/pkg", ".local/share/uv", ".pyenv", ".rbenv", ".rvm"],
  ...[".sdkman", ".jenv", ".dotnet", ".pub-cache", ".ghcup/bin", ".opam", ".juliaup"],
];

/** A place whose content a command must not see. */
export interface HiddenPlace {
  path: string;
  isFolder: boolean;
}

/** What a command must not see, parents before children, all as real paths. `directory` is the data directory. */
export function hiddenPlaces(environment: NodeJS.ProcessEnv, directory: string): readonly HiddenPlace[] {
  const named = VARIABLES.flatMap((name) => pathsIn(environment[name]));
  const places = new Map<string, HiddenPlace>();
  for (const each of [...PLACES, ...named, userInfo().homedir, directory]) {
    const found = realPathOf(each);
    // Hiding the root would leave no programs.
    if (found !== undefined && found !== "/") places.set(found, { path: found, isFolder: isFolder(found) });
  }
  return [...places.values()].sort((a, b) => a.path.length - b.path.length);
}

/** The home folder as a real path; undefined if there is none that could be hidden. */
export function homeOf(environment: NodeJS.ProcessEnv): string | undefined {
  const home = realPathOf(environment.HOME ?? userInfo().homedir);
  return home === "/" ? undefined : home;
}

/** The folders below home folders that hold programs, with their real places. */
export function toolFolders(environment: NodeJS.ProcessEnv): readonly { at: string; real: string }[] {
  const homes = [...new Set([environment.HOME, userInfo().homedir])].flatMap(
    (each) => (each && realPathOf(each)) || [],
  );
  const onPath = (environment.PATH ?? "").split(path.delimiter).filter((each) => path.isAbsolute(each));
  const wanted = [...homes.flatMap((home) => TOOLS.map((each) => path.join(home, each))), ...onPath];
  const found = wanted.flatMap((at) => {
    const real = realPathOf(at);
    const isBelow = homes.some((home) => home !== "/" && at !== home && isInside(at, home));
    const isWide = homes.some((home) => real !== undefined && isInside(home, real));
    return real !== undefined && isBelow && !isWide && isFolder(real) ? [{ at, real }] : [];
  });
  return found.filter(({ at }, index) => !found.some((other, i) => i < index && isInside(at, other.at)));
}

/** Follows all links. Returns undefined if nothing is there, or if it cannot be reached. */
export function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

export function isFolder(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** `KUBECONFIG` can be a list; an address can be `unix:path=/run/bus,guid=…`. */
function pathsIn(value: string | undefined): string[] {
  if (value === undefined) return [];
  const address = /^unix:(?:\/\/|path=)?([^,;]*)/.exec(value)?.[1];
  return (address === undefined ? value.split(path.delimiter) : [address]).filter((each) => path.isAbsolute(each));
}
