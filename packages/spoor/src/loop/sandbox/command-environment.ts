import { spawnSync } from "node:child_process";
import { scrubEnvironment } from "../../process/environment.ts";

/**
 * The environment of a command: what programs need, without keys and tokens. Addresses of proxies are passed on only to
 * commands that may use the network, and only if they hold no password.
 */
export function commandEnvironment(
  environment: NodeJS.ProcessEnv,
  { network, set = {} }: { network: boolean; set?: Readonly<Record<string, string>> | undefined },
): Record<string, string> {
  const allowed = scrubEnvironment(environment);
  const kept = Object.entries(allowed).filter(
    ([name, value]) => name !== "XDG_RUNTIME_DIR" && (!/_proxy$/i.test(name) || (network && !value.includes("@"))),
  );
  return { ...Object.fromEntries(kept), ...gitIdentity(environment), GIT_TERMINAL_PROMPT: "0", ...set };
}

/** Who makes commits. The user's own git settings are hidden from commands, because they can hold keys. */
function gitIdentity(environment: NodeJS.ProcessEnv): Record<string, string> {
  const home = environment.HOME ?? "";
  const known = identities.get(home);
  if (known) return known;
  const found = { ...readIdentity(environment) };
  identities.set(home, found);
  return found;
}

const identities = new Map<string, Record<string, string>>();

function readIdentity(environment: NodeJS.ProcessEnv): Record<string, string> {
  const { stdout } = spawnSync("git", ["config", "--global", "--get-regexp", "^user\\.(name|email)$"], {
    ...{ cwd: "/", env: scrubEnvironment(environment), encoding: "utf8", timeout: 2000 },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = (stdout ?? "").split("\n").map((line) => /^user\.(name|email) (.+)$/.exec(line));
  return Object.fromEntries(
    lines.flatMap((found) => {
      const [, name = "", value = ""] = found ?? [];
      return name === "" ? [] : ["AUTHOR", "COMMITTER"].map((who) => [`GIT_${who}_${name.toUpperCase()}`, value]);
    }),
  );
}
