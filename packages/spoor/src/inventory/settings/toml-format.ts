import { parse, patch } from "@decimalturn/toml-patch";
import type { Format, SettingsValues } from "./formats.ts";

export const toml: Format = {
  title: "TOML",
  empty: "",
  parse(text) {
    try {
      return parse(text) as SettingsValues;
    } catch (error) {
      // It quotes the line it fails on, in which a secret may stand: only the place and the reason are kept.
      const told = error instanceof Error ? error.message : "";
      const [, line, column] = /\((\d+), (\d+)\)/.exec(told) ?? [];
      const reason = told.split("\n").at(-1);
      throw new Error(line === undefined ? reason : `${reason} at line ${line}, column ${column}`);
    }
  },
  edit: (text, _change, changed) => patch(text, changed),
};
