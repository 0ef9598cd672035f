import type { ToolKinds } from "../../kit/tool-calls.ts";
import type { Signal } from "../../signal.ts";

/** The particular behaviour of one ACP agent, as data. An agent without a profile is read by the protocol alone. */
export interface AcpProfile {
  /** Tool kinds by name; they take precedence over the common ones. */
  tools?: ToolKinds;
  /** Finds the tool's name in the call's id, in the first group. */
  nameInId?: RegExp;
  /** Matches the ids of calls that belong to the same model call as the call before. */
  sameModelCallId?: RegExp;
  /** Finds the tool's name in the call's title, in the first group. */
  nameInTitle?: RegExp;
  /** Matches the ids of calls that the agent invents for a permission request and that the model did not make. */
  inventedCallId?: RegExp;
  /** Finds an MCP tool in the call's title, in the groups `server` and `tool`. */
  mcpTitle?: RegExp;
  /** The title of a call that runs a command is the command. */
  commandInTitle?: boolean;
  /** While the model writes the input of a call, the call's content contains it as JSON. */
  inputInContent?: boolean;
  /**
   * Matches the text about a command's end that the agent adds to its output, with the exit code in the group `code`.
   */
  exitRemark?: RegExp;
  /** Each thought arrives as a whole. */
  wholeThoughts?: boolean;
  /** Matches messages that the agent wrote, not the model. */
  noise?: RegExp;
  /** Matches errors that the agent reports as messages of the model. */
  messageError?: RegExp;
  /** Messages without an id are failures or warnings, unless the prompt was a command such as `/status`. */
  messageWithoutIdIsFailure?: boolean;
  /** The error for a prompt that ends successfully without any output, for agents that do not report failures. */
  emptyPromptError?: string;
  /** Matches results of cancelled calls that the agent reports as completed, with the output in the group `output`. */
  cancelled?: RegExp;
  /** Makes a reader for retries that the agent reports only on standard error. */
  createRetryReader?(): (line: string) => Signal[];
  /** Tells the user how to log in. */
  login?: string;
}
