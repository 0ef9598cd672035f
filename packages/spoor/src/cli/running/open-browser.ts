import { spawn } from "node:child_process";

/** The program that opens a link in the user's browser, by system. */
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** A program that still runs after this many milliseconds has found a browser: some stay until the browser closes. */
const LONGEST_WAIT_MS = 2_000;

/** Opens a link in the user's browser. Returns why it could not, as half a sentence, or undefined if it did. */
export async function openBrowser(url: string): Promise<string | undefined> {
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WAIT_MS, undefined);
    child.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve(code === "ENOENT" ? `this machine has no program ${program}` : message);
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? undefined : `${program} ended with exit code ${code}`);
    });
  });
}
