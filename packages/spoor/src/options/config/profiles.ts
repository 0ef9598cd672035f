import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SpoorError, ValidationError } from "../../failures/errors.ts";
import { makeDirectory } from "../../log/make-directory.ts";
import { mergeLayers, type OptionLayer } from "../merge.ts";
import { runOptions } from "../run-options.ts";
import { optionProblems } from "../validate.ts";
import type { ConfigFolders } from "./config-folders.ts";
import { readLayer } from "./configuration-files.ts";

/** Where a profile is stored: with the user's configuration, or with the project's. */
export type ProfileScope = "global" | "project";

/** A profile with the file that it comes from. */
export interface ProfileEntry {
  name: string;
  scope: ProfileScope;
  file: string;
  /** Why the profile cannot be used. */
  problem?: string;
}

/**
 * Named sets of options, each in a separate file. A profile of the project overrides the user's profile of the same name.
 */
export class Profiles {
  readonly #folders: () => ConfigFolders & { cwd: string };

  constructor(folders: () => ConfigFolders & { cwd: string }) {
    this.#folders = folders;
  }

  list(): ProfileEntry[] {
    const scopes: ProfileScope[] = ["project", "global"];
    return scopes.flatMap((scope) => this.#names(scope).map((name) => this.#entry(name, scope)));
  }

  /** Returns the options of a profile: the project's merged over the user's. */
  get(name: string): OptionLayer {
    const folders = this.#folders();
    const found = this.#files(name).map((file) => readLayer(file, folders));
    const layers = found.filter((layer) => layer !== undefined);
    if (layers.length > 0) return mergeLayers(layers);
    const known = [...new Set(this.list().map((entry) => entry.name))].join(", ");
    const hint = known === "" ? `Create it as ${this.#file(name, "global")}.` : `Known: ${known}.`;
    throw new SpoorError("PROFILE_NOT_FOUND", `There is no profile named "${name}". ${hint}`);
  }

  /** Writes a profile atomically: a reader sees either the old one or the new one. */
  set(name: string, options: OptionLayer, { scope = "global" }: { scope?: ProfileScope } = {}): void {
    const problems = optionProblems(options, "shared");
    if (problems.length > 0) throw new ValidationError(problems);
    const file = this.#file(name, scope);
    makeDirectory(path.dirname(file));
    const draft = `${file}.${process.pid}.new`;
    writeFileSync(draft, `${JSON.stringify(options, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  }

  delete(name: string, { scope = "global" }: { scope?: ProfileScope } = {}): void {
    try {
      rmSync(this.#file(name, scope));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      throw new SpoorError("PROFILE_NOT_FOUND", `There is no ${scope} profile named "${name}".`);
    }
  }

  #entry(name: string, scope: ProfileScope): ProfileEntry {
    const file = this.#file(name, scope);
    try {
      readLayer(file, this.#folders());
      return { name, scope, file };
    } catch (error) {
      return { name, scope, file, problem: (error as Error).message };
    }
  }

  #names(scope: ProfileScope): string[] {
    try {
      const files = readdirSync(this.#folder(scope)).filter((file) => file.endsWith(".json"));
      const names = files.map((file) => path.basename(file, ".json")).sort();
      return names.filter((name) => nameProblems(name).length === 0);
    } catch {
      // The folder does not exist, so there are no profiles.
      return [];
    }
  }

  #files(name: string): string[] {
    return [this.#file(name, "project"), this.#file(name, "global")];
  }

  #file(name: string, scope: ProfileScope): string {
    const problems = nameProblems(name);
    if (problems.length > 0) throw new ValidationError(problems);
    return path.join(this.#folder(scope), `${name}.json`);
  }

  #folder(scope: ProfileScope): string {
    const { global, project, cwd } = this.#folders();
    return path.join(scope === "global" ? global : (project ?? path.join(cwd, ".spoor")), "profiles");
  }
}

const nameProblems = (name: string) => runOptions.profile.check(name, "profile");
