import type { FailureCode } from "@spoor/protocol";

export interface ErrorInfo {
  meaning: string;
  /** What to do about it. */
  hint: string;
  /** The exit code of a command that fails with it. */
  exitCode: number;
}

/**
 * What every failure means to a person and to a script. Which code, sentence and outcome a failed run has is decided in
 * the protocol's `agent-events/failures.ts`; `isRetriable` tells whether trying again can help.
 */
export const errorTable: Readonly<Record<FailureCode, ErrorInfo>> = {
  CAPABILITY_ERROR: {
    meaning: "The agent, on this wire, cannot do what is asked.",
    hint: "Leave the option out, or choose an agent or a wire that can.",
    exitCode: 6,
  },
  VALIDATION_ERROR: {
    meaning: "An option has a value that cannot be used, such as a model that the agent does not have.",
    hint: "Each line of the message says what is expected.",
    exitCode: 2,
  },
  AUTH_ERROR: {
    meaning: "The agent is not logged in, or its key is refused.",
    hint: "Log in with the agent itself, or set its key.",
    exitCode: 5,
  },
  AGENT_NOT_FOUND: {
    meaning: "No adapter has this name.",
    hint: "`spoor agents` lists those there are; a client can register more.",
    exitCode: 3,
  },
  AGENT_NOT_INSTALLED: {
    meaning: "The agent's program is not on this machine.",
    hint: "Install it, or say where it is with `command`.",
    exitCode: 4,
  },
  AGENT_CRASH: {
    meaning: "The agent's process ended in an error.",
    hint: "Its last words are in the `crash` event.",
    exitCode: 12,
  },
  SPAWN_ERROR: {
    meaning: "The agent's process could not be started.",
    hint: "Check the program, its permissions and the working directory.",
    exitCode: 12,
  },
  TIMEOUT: {
    meaning: "The run took longer than it may.",
    hint: "Raise `timeout`, or ask for less.",
    exitCode: 11,
  },
  INACTIVITY_TIMEOUT: {
    meaning: "Nothing was heard of the agent for longer than allowed.",
    hint: "Raise `inactivityTimeout` if its commands take long.",
    exitCode: 11,
  },
  PARSE_ERROR: {
    meaning: "A line of the agent's could not be read.",
    hint: "It is kept as `debug`; report it with the agent's version.",
    exitCode: 1,
  },
  CONFIG_ERROR: {
    meaning: "A configuration file or profile cannot be used.",
    hint: "The message names the file and the field.",
    exitCode: 7,
  },
  CONFIG_LOCK_ERROR: {
    meaning: "Somebody else is writing the configuration.",
    hint: "Try again.",
    exitCode: 7,
  },
  SESSION_NOT_FOUND: {
    meaning: "There is no such session to go on with.",
    hint: "Start a new one, or check its id and the directory it was made in.",
    exitCode: 8,
  },
  PROFILE_NOT_FOUND: {
    meaning: "No profile has this name.",
    hint: "The message lists those there are.",
    exitCode: 9,
  },
  PLUGIN_ERROR: {
    meaning: "A plugin of the agent's failed.",
    hint: "Check it with the agent itself.",
    exitCode: 10,
  },
  RATE_LIMITED: {
    meaning: "The model's provider takes no more requests for now.",
    hint: "Wait, or set a retry policy.",
    exitCode: 14,
  },
  CONTEXT_EXCEEDED: {
    meaning: "The conversation no longer fits the model.",
    hint: "Start a new session, or have the agent compact this one.",
    exitCode: 15,
  },
  ABORTED: {
    meaning: "The run was ended by its caller.",
    hint: "Nothing is wrong.",
    exitCode: 13,
  },
  RUN_NOT_ACTIVE: {
    meaning: "The run has ended.",
    hint: "Use `continue` to go on with its session.",
    exitCode: 1,
  },
  STDIN_NOT_AVAILABLE: {
    meaning: "This wire takes no further prompts.",
    hint: "Choose a wire that is talked to, or go on in a new run.",
    exitCode: 1,
  },
  NO_PENDING_INTERACTION: {
    meaning: "No question waits for an answer.",
    hint: "Answer while one is pending.",
    exitCode: 1,
  },
  INTERACTION_NOT_FOUND: {
    meaning: "No question with this id waits for an answer.",
    hint: "It was answered already, or the run has ended.",
    exitCode: 1,
  },
  INVALID_STATE_TRANSITION: {
    meaning: "The run is in a state in which this cannot be done.",
    hint: "Look at `state` first.",
    exitCode: 1,
  },
  PTY_NOT_AVAILABLE: {
    meaning: "The agent needs a terminal, and none can be made.",
    hint: "Use a wire that needs none.",
    exitCode: 1,
  },
  INTERNAL: {
    meaning: "A fault of ours.",
    hint: "Report it, with what led to it.",
    exitCode: 1,
  },
  INTERRUPTED: {
    meaning: "Someone interrupted the agent.",
    hint: "Use `continue` to go on with its session.",
    exitCode: 130,
  },
  TURN_LIMIT: {
    meaning: "The run used all the turns it was allowed.",
    hint: "Raise `maxTurns`, or go on with the session in a new run.",
    exitCode: 16,
  },
  INCOMPLETE: {
    meaning: "The events stopped before the run ended.",
    hint: "Run it again, and report it with the agent's version.",
    exitCode: 1,
  },
  PROCESS_GONE: {
    meaning: "The process that ran the agent died, so nobody saw how the run ended.",
    hint: "Run it again; parts of its work may have been done.",
    exitCode: 1,
  },
};
