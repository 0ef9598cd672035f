import { parse, patch } from "@decimalturn/toml-patch";
import type { Format, SettingsValues } from "./settings-format.ts";

export const toml: Format = {
  title: "TOML",
  empty: "",
  parse(text) {
    try {
      return parse(text) as SettingsValues;
    } catch (error) {
      // The parser quotes the line it fails on, which may contain a secret, so only position and reason are kept.
      const message = error instanceof Error ? error.message : "";
      const [, line, column] = /\((\d+), (\d+)\)/.exec(message) ?? [];
      const reason = message.split("\n").at(-1);
      throw new Error(line === undefined ? reason : `${reason} at line ${line}, column ${column}`);
    }
  },
  edit: (text, _change, changed) => patch(text, changed),
};
