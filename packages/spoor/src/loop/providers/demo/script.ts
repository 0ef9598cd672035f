/** What a scripted model says and does, turn by turn. */
export interface DemoScript {
  /** One line about it. */
  title: string;
  /** Milliseconds between two words, so that a person can read along. 0: everything at once. */
  pace: number;
  turns: readonly DemoTurn[];
  /** What the model of a subagent says, by a part of the prompt that the subagent gets. */
  subagents?: readonly { prompt: string; turns: readonly DemoTurn[] }[];
}

/** One answer of the model. A turn whose tools the run does not offer is left out. */
export interface DemoTurn {
  /** What the results of the calls before must contain, one text for each call. Otherwise the model gives up and says so. */
  expect?: readonly string[];
  thinking?: string;
  text?: string;
  calls?: readonly DemoCall[];
}

/** A call of a tool. */
export interface DemoCall {
  tool: string;
  input: Readonly<Record<string, unknown>>;
}
