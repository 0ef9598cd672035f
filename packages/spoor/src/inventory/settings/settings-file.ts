import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import type { SettingsFacts } from "../../agents/agent-about.ts";
import { SpoorError } from "../../failures/errors.ts";
import { makeDirectory } from "../../log/make-directory.ts";
import { isObject, isSame, readField, withChange } from "./fields.ts";
import { type SettingsLockOptions, withLock } from "./file-lock.ts";
import { loadFormat } from "./load-format.ts";
import { replaceFile } from "./replace-file.ts";
import type { Change, Format, SettingsValues } from "./settings-format.ts";

/** Computes the changes to a file from its current settings. Throws to leave the file unchanged. */
export type Plan = (settings: SettingsValues) => readonly Change[];

export interface SettingsFile {
  path: string;
  format: SettingsFacts["format"];
}

/** Reads a settings file. A missing file has no settings; a file that cannot be parsed is an error. */
export async function readSettings(file: SettingsFile): Promise<SettingsValues> {
  const format = await loadFormat(file.format);
  const text = await textOf(file.path);
  return parse(text?.startsWith(BOM) ? text.slice(1) : (text ?? format.empty), file.path, format);
}

/**
 * Applies the changes that `plan` returns, and nothing else. It holds a lock, parses the result to check it, and replaces
 * the file atomically. The file stays unchanged if it cannot be parsed or if another program changes it meanwhile.
 */
export async function editSettings(file: SettingsFile, plan: Plan, options?: SettingsLockOptions): Promise<void> {
  const settings = await readSettings(file);
  // Create neither lock nor folder when there is nothing to change.
  if (isSame(settings, plan(settings).reduce(withChange, settings))) return;
  const format = await loadFormat(file.format);
  try {
    // A link stays a link; its target is changed.
    const target = await realpath(file.path).catch(() => file.path);
    makeDirectory(path.dirname(target));
    await withLock(target, () => change(target, plan, format), options);
  } catch (error) {
    if (error instanceof SpoorError) throw error;
    throw new SpoorError("CONFIG_ERROR", `Cannot write ${file.path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function change(file: string, plan: Plan, format: Format): Promise<void> {
  const before = await textOf(file);
  const [mark, body] = before?.startsWith(BOM) ? [BOM, before.slice(1)] : ["", before ?? format.empty];
  const after = mark + plan(parse(body, file, format)).reduce((text, one) => edit(text, one, file, format), body);
  if (after === before) return;
  if ((await textOf(file)) !== before) {
    throw new SpoorError(
      "CONFIG_LOCK_ERROR",
      `Another program changed ${file} at the same time. Nothing was written. Try again.`,
    );
  }
  await replaceFile(file, after);
}

function edit(text: string, change: Change, file: string, format: Format): string {
  const settings = parse(text, file, format);
  refuseToReplaceValue(settings, change, file);
  const wanted = withChange(settings, change);
  if (isSame(settings, wanted)) return text;
  const edited = format.edit(text, change, wanted);
  // The result can differ, for example when a key occurs twice: we edit one, the agent reads the other.
  if (!isSame(parse(edited, file, format), wanted)) {
    throw new SpoorError(
      "CONFIG_ERROR",
      `Cannot change ${change.path.join(".")} in ${file} without side effects. The file was not changed. Edit it by hand.`,
    );
  }
  return edited;
}

/** Setting `a.b` must not replace a value `a` that is not an object. */
function refuseToReplaceValue(settings: SettingsValues, { path: fields, value }: Change, file: string): void {
  if (value === undefined) return;
  for (let length = 1; length < fields.length; length++) {
    const inner = readField(settings, fields.slice(0, length));
    if (inner === undefined || isObject(inner)) continue;
    const [at, within] = [fields.slice(0, length).join("."), fields.join(".")];
    throw new SpoorError(
      "CONFIG_ERROR",
      `Cannot set ${within} in ${file}, because ${at} is not an object. Remove ${at} first.`,
    );
  }
}

function parse(text: string, file: string, { title, parse: read }: Format): SettingsValues {
  try {
    return read(text);
  } catch (error) {
    const reason = (error as Error).message;
    throw new SpoorError(
      "CONFIG_ERROR",
      `Cannot read ${file} as ${title}: ${reason}. The file was not changed. Correct it, and try again.`,
      {
        cause: error,
      },
    );
  }
}

const BOM = "\uFEFF";

async function textOf(file: string): Promise<string | undefined> {
  try {
    return decoder.decode(await readFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SpoorError("CONFIG_ERROR", `Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Invalid UTF-8 is an error, because writing the file again would change those bytes. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
