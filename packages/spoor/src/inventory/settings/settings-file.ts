import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import type { SettingsFacts } from "../../agents/agent-about.ts";
import { SpoorError } from "../../failures/errors.ts";
import { makeDirectory } from "../../log/make-directory.ts";
import { isObject, isSame, readField, withChange } from "./fields.ts";
import { type Change, type Format, formats, type SettingsValues } from "./formats.ts";
import { type LockOptions, withLock } from "./lock.ts";
import { replaceFile } from "./replace-file.ts";

/** Throws to leave the file as it is. */
export type Plan = (settings: SettingsValues) => readonly Change[];

export interface SettingsFile {
  path: string;
  format: SettingsFacts["format"];
}

/** What a settings file says; nothing when there is none. One that cannot be understood is an error, never ignored. */
export async function readSettings(file: SettingsFile): Promise<SettingsValues> {
  const format = await formats[file.format]();
  const text = await textOf(file.path);
  return parse(text?.startsWith(BOM) ? text.slice(1) : (text ?? format.empty), file.path, format);
}

/**
 * Makes the changes that `plan` wants, given what the file says, and nothing else: under a lock, checked by reading the
 * result, and put in its place whole. A file that cannot be understood, or that someone without a lock changes
 * meanwhile, is left alone.
 */
export async function editSettings(file: SettingsFile, plan: Plan, options?: LockOptions): Promise<void> {
  const settings = await readSettings(file);
  // No lock, and no folder, for nothing.
  if (isSame(settings, plan(settings).reduce(withChange, settings))) return;
  const format = await formats[file.format]();
  try {
    // A link stays a link: what it leads to is changed.
    const target = await realpath(file.path).catch(() => file.path);
    makeDirectory(path.dirname(target));
    await withLock(target, () => change(target, plan, format), options);
  } catch (error) {
    if (error instanceof SpoorError) throw error;
    throw new SpoorError("CONFIG_ERROR", `${file.path} cannot be written: ${(error as Error).message}`, {
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
    throw new SpoorError("CONFIG_LOCK_ERROR", `${file} was changed by another program just now. Try again.`);
  }
  await replaceFile(file, after);
}

function edit(text: string, change: Change, file: string, format: Format): string {
  const settings = parse(text, file, format);
  refuseToCross(settings, change, file);
  const wanted = withChange(settings, change);
  if (isSame(settings, wanted)) return text;
  const edited = format.edit(text, change, wanted);
  // Twice the same key, for one: the editor changes one, the agent reads the other.
  if (!isSame(parse(edited, file, format), wanted)) {
    throw new SpoorError(
      "CONFIG_ERROR",
      `${file} cannot be changed safely at ${change.path.join(".")}. It was left as it is: change it by hand.`,
    );
  }
  return edited;
}

/** A value that is no object is not to be replaced by one in passing. */
function refuseToCross(settings: SettingsValues, { path: fields, value }: Change, file: string): void {
  if (value === undefined) return;
  for (let length = 1; length < fields.length; length++) {
    const inner = readField(settings, fields.slice(0, length));
    if (inner === undefined || isObject(inner)) continue;
    const [at, within] = [fields.slice(0, length).join("."), fields.join(".")];
    throw new SpoorError("CONFIG_ERROR", `${file}: ${at} is no object, so ${within} cannot be set.`);
  }
}

function parse(text: string, file: string, { title, parse: read }: Format): SettingsValues {
  try {
    return read(text);
  } catch (error) {
    const reason = (error as Error).message;
    throw new SpoorError("CONFIG_ERROR", `${file} cannot be read as ${title}: ${reason}. It was left as it is.`, {
      cause: error,
    });
  }
}

const BOM = "\uFEFF";

async function textOf(file: string): Promise<string | undefined> {
  try {
    return decoder.decode(await readFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SpoorError("CONFIG_ERROR", `${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Bytes that are no text would not survive being written again. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
