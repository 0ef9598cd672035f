import type { FailureCode } from "@spoor/protocol";

/** The explanation of one failure code. */
export interface ErrorInfo {
  meaning: string;
  /** What the user can do about it. */
  hint: string;
  /** The exit code of a command that fails with it. */
  exitCode: number;
}

/**
 * The meaning, the hint and the exit code of every failure. Which code, sentence and outcome a failed run has is decided in
 * the protocol's `agent-events/failures.ts`; `isRetriable` returns whether trying again can help.
 */
export const errorTable: Readonly<Record<FailureCode, ErrorInfo>> = {
  CAPABILITY_ERROR: {
    meaning: "The agent does not support an option in this dialect.",
    hint: "Leave the option out, or choose an agent or a dialect that supports it.",
    exitCode: 6,
  },
  VALIDATION_ERROR: {
    meaning: "An option has an invalid value, such as a model that the agent does not have.",
    hint: "Each line of the message names an option and what it expects.",
    exitCode: 2,
  },
  AUTH_ERROR: {
    meaning: "The agent is not logged in, or its service refused the key.",
    hint: "Log in with the agent's own command, or set its key.",
    exitCode: 5,
  },
  AGENT_NOT_FOUND: {
    meaning: "No adapter has this name.",
    hint: "`spoor agents` lists the known agents; a client can register more.",
    exitCode: 3,
  },
  AGENT_NOT_INSTALLED: {
    meaning: "The agent's program was not found on this machine.",
    hint: "Install it, or give its path with `command`.",
    exitCode: 4,
  },
  AGENT_CRASH: {
    meaning: "The agent's process ended with an error.",
    hint: "Read its last output on stderr in the `crash` event.",
    exitCode: 12,
  },
  SPAWN_ERROR: {
    meaning: "The agent's process could not be started.",
    hint: "Check the program, its permissions and the working directory.",
    exitCode: 12,
  },
  TIMEOUT: {
    meaning: "The run took longer than its timeout.",
    hint: "Raise `timeout`, or give the agent a smaller task.",
    exitCode: 11,
  },
  INACTIVITY_TIMEOUT: {
    meaning: "The agent printed nothing for longer than its inactivity timeout.",
    hint: "Raise `inactivityTimeout` if its commands take long.",
    exitCode: 11,
  },
  PARSE_ERROR: {
    meaning: "A line that the agent printed could not be parsed.",
    hint: "The line is in a `debug` event; report it with the agent's version.",
    exitCode: 1,
  },
  CONFIG_ERROR: {
    meaning: "A configuration file or profile is invalid.",
    hint: "The message names the file and the field.",
    exitCode: 7,
  },
  CONFIG_LOCK_ERROR: {
    meaning: "Another process is writing the configuration.",
    hint: "Try again in a moment.",
    exitCode: 7,
  },
  SESSION_NOT_FOUND: {
    meaning: "The agent has no session with this id.",
    hint: "Check the id and the directory in which the session was started, or start a new session.",
    exitCode: 8,
  },
  PROFILE_NOT_FOUND: {
    meaning: "No profile has this name.",
    hint: "The message lists the profiles that exist.",
    exitCode: 9,
  },
  PLUGIN_ERROR: {
    meaning: "A plugin of the agent failed.",
    hint: "Check the plugin with the agent's own commands.",
    exitCode: 10,
  },
  RATE_LIMITED: {
    meaning: "The model's provider refuses requests because of a rate limit.",
    hint: "Wait and try again, or set a retry policy.",
    exitCode: 14,
  },
  UPSTREAM_ERROR: {
    meaning: "The model's provider failed or could not be reached, or its answer was blank or broke off.",
    hint: "Try again later; if it happens again, check the network and the provider's status.",
    exitCode: 21,
  },
  CONTEXT_EXCEEDED: {
    meaning: "The conversation no longer fits into the model's context window.",
    hint: "Start a new session, or let the agent compact this one.",
    exitCode: 15,
  },
  BUDGET_EXCEEDED: {
    meaning: "The task has spent its budget.",
    hint: "Raise the budget and continue the session in a new run.",
    exitCode: 18,
  },
  APPROVAL_REJECTED: {
    meaning: "Someone rejected an action that the run needs.",
    hint: "Read the comment of the rejection, change the task, and start it again.",
    exitCode: 19,
  },
  APPROVAL_TIMED_OUT: {
    meaning: "Nobody answered an approval before its deadline.",
    hint: "Start the task again, and answer with `spoor approve` or `spoor deny`.",
    exitCode: 20,
  },
  ABORTED: {
    meaning: "The caller aborted the run.",
    hint: "Nothing needs to be done.",
    exitCode: 13,
  },
  RUN_NOT_ACTIVE: {
    meaning: "The run has already ended.",
    hint: "Use `continue` to continue its session in a new run.",
    exitCode: 1,
  },
  STDIN_NOT_AVAILABLE: {
    meaning: "The agent takes no further input in this dialect.",
    hint: "Choose a dialect that takes input during a run, or continue the session in a new run.",
    exitCode: 1,
  },
  NO_PENDING_INTERACTION: {
    meaning: "No question is waiting for an answer.",
    hint: "Answer only while a question is pending.",
    exitCode: 1,
  },
  INTERACTION_NOT_FOUND: {
    meaning: "No question with this id is waiting for an answer.",
    hint: "The question was answered already, or the run has ended.",
    exitCode: 1,
  },
  INVALID_STATE_TRANSITION: {
    meaning: "The run's state does not allow this call.",
    hint: "Check `state` first.",
    exitCode: 1,
  },
  PTY_NOT_AVAILABLE: {
    meaning: "The agent needs a terminal, and none can be created.",
    hint: "Use a dialect that needs no terminal.",
    exitCode: 1,
  },
  INTERNAL: {
    meaning: "Something unexpected failed, in the agent, its provider or Spoor.",
    hint: "Read the message; if it looks like a bug in Spoor, report it with the steps that led to it.",
    exitCode: 1,
  },
  INTERRUPTED: {
    meaning: "Someone interrupted the agent.",
    hint: "Use `continue` to continue its session in a new run.",
    exitCode: 130,
  },
  TURN_LIMIT: {
    meaning: "The run used all the turns it was allowed.",
    hint: "Raise `maxTurns`, or continue the session in a new run.",
    exitCode: 16,
  },
  INCOMPLETE: {
    meaning: "The events stopped before the run ended.",
    hint: "Run it again, and report it with the agent's version.",
    exitCode: 1,
  },
  PROCESS_GONE: {
    meaning: "The process that ran the agent died, so it is not known how the run ended.",
    hint: "Run it again. The agent may already have done part of its work.",
    exitCode: 1,
  },
  OUTCOME_UNKNOWN: {
    meaning: "The process died during an action, so it is not known whether the action happened.",
    hint: "Check what the action has done before you start the task again.",
    exitCode: 1,
  },
  APPROVAL_NEEDED: {
    meaning: "An action needs permission, and nobody can be asked.",
    hint: "Allow it with a policy rule or with `--approve`, or run the agent where somebody can answer.",
    exitCode: 17,
  },
};
