import path from "node:path";
import { refusalOfAddress } from "./addresses.ts";
import { ANY, type Glob, globOf, literalOf, NAME, showGlob } from "./glob.ts";
import { coversHost, readAddress, touchesHost } from "./hosts.ts";
import {
  coversPath,
  followLinks,
  formsOf,
  isInside,
  isNowhere,
  isOfProcess,
  pathForm,
  touchesPath,
  twinOf,
} from "./paths.ts";
import type { Rule } from "./rule.ts";
import { firstMatch, type Judged, judge, mayHideBlock, type RuleSet } from "./rule-set.ts";
import type { Weight } from "./shell/parts.ts";

/** A path to judge. `forms` are texts or globs; each is resolved in each of `dirs`. */
export interface PathQuery {
  text: string;
  forms: readonly (string | Glob)[];
  /** The folders in which the path may be used. */
  dirs: readonly string[];
  weight?: Weight;
}

/** Decides about reading or writing a path, in all forms in which it can be named. */
export function judgePath(
  set: RuleSet,
  { agent }: { agent?: string },
  subject: "read" | "write",
  query: PathQuery,
): Judged {
  const { workspace, home } = set;
  const weight = query.weight ?? "full";
  const { places } = set;
  const known = query.forms.map((form) => (typeof form === "string" ? form : literalOf(form)));
  const unknown = query.forms.filter((form) => typeof form !== "string" && literalOf(form) === undefined) as Glob[];
  const literals = known.filter((form) => form !== undefined);
  if (literals.some((form) => form.includes("\0")))
    return { text: query.text, decision: "block", reason: "The path holds a NUL character." };
  if (unknown.length === 0 && literals.every(isNowhere))
    return { text: query.text, decision: "allow", reason: "This is a device, not a file." };
  if (literals.some(isOfProcess) && weight !== "mention")
    return hidden(set, agent, query.text, "The path leads to what a process has open.");
  const forms = literals.flatMap((form) => query.dirs.flatMap((cwd) => formsOf(form, cwd, home)));
  const globs = unknown.flatMap((glob) =>
    glob[0] === "/" || typeof glob[0] !== "string"
      ? [glob]
      : query.dirs.map((cwd) => [...globOf(`${cwd}/`), ...trimDots(glob)]),
  );
  const isVague = globs.some((glob) => typeof glob[0] !== "string");
  const isWithin = forms.every((form) => isInside(form, workspace) || isInside(form, followLinks(workspace)));
  const written = [...new Set([...forms, ...forms.map(twinOf)])].map(pathForm);
  const computed = globs.map(pathForm);
  const guarded = isVague ? [] : globs.map((glob) => pathForm(withoutSlashes(glob)));
  const touches = (rule: Rule): boolean => {
    // The data directory can hold workspaces, in which work is allowed.
    if (rule.source === "builtin" && rule.line <= 2 && isWithin && globs.length === 0) return false;
    // Built-in rules always hold, so a computed part of a path stands for one name there. Else no path could be computed.
    const vague = rule.source === "builtin" ? guarded : computed;
    return (
      written.some((form) => touchesPath(rule, form, places)) || vague.some((form) => touchesPath(rule, form, places))
    );
  };
  const found = judge(set, {
    text: query.text,
    subjects: [subject],
    ...{ agent },
    covers: (rule) => globs.length === 0 && coversPath(rule, forms, places),
    touches,
    weight,
    otherwise: subject === "read" && isWithin && globs.length === 0 ? "allow" : "ask",
  });
  if (globs.length === 0 || weight !== "full" || found.decision === "block") return found;
  return { ...hidden(set, agent, query.text, `The path ${showGlob(globs[0] ?? [])} is computed.`) };
}

const withoutSlashes = (glob: Glob): Glob => glob.map((token) => (token === ANY ? NAME : token));

/** Resolves `./` and `../` at the start of a partly computed path as far as they are known. */
function trimDots(glob: Glob): Glob {
  const start = glob.findIndex((token) => typeof token !== "string");
  const text = glob.slice(0, start).join("");
  return text.includes("/") ? [...globOf(`${path.posix.normalize(text)}`), ...glob.slice(start)] : glob;
}

/** Decides about an address. */
export function judgeHost(
  set: RuleSet,
  { agent }: { agent?: string },
  query: { text: string; glob: Glob; weight: Weight },
): Judged {
  const { text, glob, weight } = query;
  const literal = literalOf(glob);
  const address = literal === undefined ? undefined : readAddress(literal);
  if (address === undefined && weight === "full")
    return hidden(set, agent, text, literal === undefined ? "The address is computed." : "The address cannot be read.");
  const rules: Parameters<typeof judge>[1] = {
    text,
    subjects: ["host"],
    agent,
    covers: (rule) => address !== undefined && coversHost(rule, address),
    touches: (rule) => (address === undefined ? touchesHost(rule, glob) : coversHost(rule, address)),
    weight,
    otherwise: "ask",
  };
  const isMetadata = address !== undefined && refusalOfAddress(address.host)?.isMetadata === true;
  if (!set.yolo || !isMetadata || weight === "mention" || firstMatch(set, rules)) return judge(set, rules);
  const reason = `${address.host} is an address at which clouds hand out credentials. It is not allowed with everything else (yolo): a rule must allow it.`;
  return { text, decision: "block", reason };
}

/** What cannot be judged is asked about, and blocked if a rule that blocks may be about it. */
export function hidden(set: RuleSet, agent: string | undefined, text: string, reason: string): Judged {
  const rule = mayHideBlock(set, agent);
  if (rule === undefined) return { text, decision: "ask", reason };
  const { source, line } = rule;
  return {
    text,
    decision: "block",
    reason: `${reason} It may hide what a rule blocks: ${rule.text}`,
    rule: { text: rule.text, source, line },
  };
}
