import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const packageFile = createRequire(import.meta.url).resolve("@sparticuz/chromium");

/**
 * Starts Chromium: the one that `SPOOR_CHROMIUM` names, else the one inside an npm package, else the system's Chrome.
 * Nothing is reached by the browser but this machine.
 */
export async function launchChromium(): Promise<Browser> {
  const args = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--font-render-hinting=none"];
  const named = process.env.SPOOR_CHROMIUM;
  if (named) return chromium.launch({ executablePath: named, args });
  if (process.platform !== "linux" || process.arch !== "x64") return launchChrome(args);
  const folder = await unpacked();
  const executablePath = path.join(folder, "chromium");
  try {
    return await chromium.launch({ executablePath, args });
  } catch (error) {
    if (!String(error).includes("shared libraries")) throw error;
    // A bare machine lacks libraries that the package brings along.
    const libraries = path.join(folder, "al2023/lib");
    return chromium.launch({ executablePath, args, env: { ...stringsOf(process.env), LD_LIBRARY_PATH: libraries } });
  }
}

async function launchChrome(args: string[]): Promise<Browser> {
  try {
    return await chromium.launch({ channel: "chrome", args });
  } catch (cause) {
    throw new Error("The browser tests need Chrome, or SPOOR_CHROMIUM with the path of a Chromium.", { cause });
  }
}

/**
 * The folder of the unpacked Chromium. It is unpacked once, beside the installed packages, into a folder of its own that is
 * then renamed: whoever finds the folder finds it whole, however many tests start at once.
 */
async function unpacked(): Promise<string> {
  const place = path.join(cacheFolder(), `chromium-${versionOf(packageFile)}`);
  if (existsSync(place)) return place;
  const fresh = mkdtempSync(`${place}-`);
  try {
    const program = `const { default: chromium } = await import(${JSON.stringify(pathToFileURL(packageFile))});
      await chromium.executablePath();`;
    // The package unpacks into the temporary folder, with its libraries if it believes to be in the cloud.
    const env = { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" };
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { env });
    renameSync(fresh, place);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(place)) throw error;
  }
  return place;
}

/** Beside the installed packages or, if this user may not write there, in a temporary folder of the user. */
function cacheFolder(): string {
  const modules = path.resolve(import.meta.dirname, "../../../node_modules");
  const folder = isWritable(modules) ? path.join(modules, ".cache") : path.join(tmpdir(), `spoor-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(file: string): string {
  const manifest = createRequire(import.meta.url)(path.resolve(path.dirname(file), "../package.json"));
  return (manifest as { version: string }).version;
}

const stringsOf = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
