import type { ToolKinds } from "../../kit/tool-calls.ts";
import type { Signal } from "../../signal.ts";

/** What one ACP agent does its own way. All of it is data; an agent without a profile is read by the protocol alone. */
export interface AcpProfile {
  /** Kinds of tools by name, before the common ones. */
  tools?: ToolKinds;
  /** The tool's name, in the first group, in the call's id. */
  nameInId?: RegExp;
  /** Ids of calls that share a model call with the one before. */
  laterInCall?: RegExp;
  /** The same, in its title. */
  nameInTitle?: RegExp;
  /** Calls made up for a permission request, which are none of the model's. */
  askedApart?: RegExp;
  /** The tool and its MCP server, in groups of those names, in the call's title. */
  mcpTitle?: RegExp;
  /** The title of a call that runs a command is the command. */
  commandInTitle?: boolean;
  /** While the model writes the input of a call, the call's content shows it as JSON. */
  inputInContent?: boolean;
  /** Words about how a command ended that are put around its output, with its exit code in the group `code`. */
  exitInText?: RegExp;
  /** Each thought comes whole. */
  wholeThoughts?: boolean;
  /** Messages that are not the model's. */
  noise?: RegExp;
  /** Messages that are a failure's, told as if the model spoke. */
  spokenError?: RegExp;
  /** Messages without an id are failures or warnings, unless the prompt was a command such as `/status`. */
  unnamedIsFailure?: boolean;
  /** What went wrong when a prompt ends well with nothing said or done: the agent does not tell failures. */
  emptyIsFailure?: string;
  /** Results that say the call was cancelled, though it is told as completed; what it printed in the group `output`. */
  cancelled?: RegExp;
  /** Reads what the agent tells of retries on standard error alone. */
  createRetryReader?(): (line: string) => Signal[];
  /** How to log in. */
  login?: string;
}
