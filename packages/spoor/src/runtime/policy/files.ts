import { readFileSync, realpathSync, statSync } from "node:fs";
import { type ParsedRules, parseRules } from "./rule.ts";
import { hashOf } from "./trust.ts";
import type { RuleSource } from "./types.ts";

const MAX_BYTES = 1024 * 1024;

/** A file of rules, with the hash of exactly the bytes that were parsed. */
export interface RuleFile extends ParsedRules {
  real?: string;
  sha256?: string;
}

/** Reads a file of rules. One that does not exist has none; one that cannot be read is a problem. */
export function readRuleFile(file: string, source: RuleSource): RuleFile {
  const failed = (reason: string): RuleFile => ({ rules: [], problems: [`${file}: ${reason}`] });
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return failed("This is not a file. Replace it by a file with one rule on each line.");
    if (stats.size > MAX_BYTES) return failed("The file is larger than 1 MiB. Write shorter rules.");
    const bytes = readFileSync(file);
    const text = decode(bytes);
    if (text === undefined) return failed("The file is not UTF-8 text. Save it as UTF-8.");
    return { ...parseRules(text, source, file), real: realpathSync(file), sha256: hashOf(bytes) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { rules: [], problems: [] };
    return failed(`The file cannot be read (${message}). Make it readable, or remove it.`);
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
