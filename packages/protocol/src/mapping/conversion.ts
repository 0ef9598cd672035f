import type { CostRecord } from "../agent-events/cost-record.ts";
import { type ToolKind, toolKinds } from "../agent-events/tool-kind.ts";
import { prefixed, unprefixed } from "../envelope/ids.ts";

export type Data = Record<string, unknown>;

/** How one field of an AgentEvent is written to an envelope's data and read back. */
export interface Conversion {
  /** The data fields it writes, for the documentation. */
  readonly to: readonly string[];
  readonly how?: string;
  /** The data field, when the value is copied unchanged. */
  readonly rename?: string;
  readonly write: (value: unknown, data: Data) => void;
  /** `undefined` means the field is absent. */
  readonly read: (data: Data) => unknown;
}

/** The same value under another name. */
export const as = (name: string): Conversion => ({
  to: [name],
  rename: name,
  write: (value, data) => {
    data[name] = value;
  },
  read: (data) => data[name],
});

/** The kind of a tool. AgentEvents have a closed list, data an open one; an unknown kind is read as absent. */
export const knownKind: Conversion = {
  ...as("kind"),
  read: ({ kind }) => (toolKinds.includes(kind as ToolKind) ? kind : undefined),
};

/** AgentEvents count turns from 0, data from 1. */
export const turnNumber: Conversion = {
  to: ["turn_index"],
  how: "+ 1",
  write: (value, data) => {
    data.turn_index = (value as number) + 1;
  },
  read: (data) => (typeof data.turn_index === "number" ? Math.max(data.turn_index - 1, 0) : undefined),
};

/** Run ids are bare in AgentEvents and prefixed in data. */
export const runRef = (name: string): Conversion => ({
  to: [name],
  how: "`run_` + id",
  write: (value, data) => {
    data[name] = prefixed("run", value as string);
  },
  read: (data) => (typeof data[name] === "string" ? unprefixed("run", data[name]) : undefined),
});

/** Text that is written only when not empty. An absent field reads as the empty text. */
export const textIfAny = (name: string): Conversion => ({
  to: [name],
  how: "when not empty",
  write: (value, data) => {
    if (value !== "" && value !== undefined) data[name] = value;
  },
  read: (data) => data[name] ?? "",
});

const tokenFields = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  thinkingTokens: "thinking_tokens",
  cachedTokens: "cached_input_tokens",
  cacheWriteTokens: "cache_write_tokens",
} as const satisfies Partial<Record<keyof CostRecord, string>>;

/** A CostRecord as flat fields; every count has the prefix. */
const costRecord = (prefix: string): Conversion => {
  const counts = Object.entries(tokenFields).map(([field, name]) => [field, prefix + name] as const);
  const micros = `${prefix}cost_micros_usd`;
  return {
    to: ["total_usd", micros, ...counts.map(([, name]) => name), "cost_source"],
    how: "as flat fields; dollars verbatim and in whole millionths",
    write: (value, data) => {
      const cost = value as CostRecord;
      data.total_usd = cost.totalUsd;
      data[micros] = microsOf(cost.totalUsd);
      for (const [field, name] of counts) {
        const count = cost[field as keyof typeof tokenFields];
        if (count !== undefined) data[name] = count;
      }
      if (cost.source !== undefined) data.cost_source = cost.source;
    },
    read: (data) => {
      const totalUsd = data.total_usd ?? dollarsOf(data[micros]);
      if (totalUsd === undefined) return undefined;
      const cost: Data = { totalUsd };
      for (const [field, name] of counts) {
        const required = field === "inputTokens" || field === "outputTokens";
        const count = data[name] ?? (required ? 0 : undefined);
        if (count !== undefined) cost[field] = count;
      }
      if (data.cost_source !== undefined) cost.source = data.cost_source;
      return cost;
    },
  };
};

export const cost = costRecord("");
export const cumulativeCost = costRecord("cumulative_");

/** Millionths of a dollar: the one place where money is rounded. */
export const microsOf = (dollars: number): number => Math.round(dollars * 1e6);

const dollarsOf = (micros: unknown): number | undefined => (typeof micros === "number" ? micros / 1e6 : undefined);
