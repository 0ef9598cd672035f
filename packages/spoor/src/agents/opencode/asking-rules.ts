/**
 * Laid over the rules of the user's own settings, the last that fits wins: what they deny is asked for too. Reading is
 * as it is by default.
 */
export const askingRules = JSON.stringify({
  "*": "ask",
  read: { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" },
  glob: "allow",
  grep: "allow",
  list: "allow",
  lsp: "allow",
  skill: "allow",
  todoread: "allow",
  todowrite: "allow",
  // A subagent's questions reach nobody: it would wait for ever.
  task: "deny",
  question: "deny",
  plan_enter: "deny",
  plan_exit: "deny",
});
