export { createEnvelopeChecker } from "./check-envelopes.ts";
export { type Checker, createEventChecker } from "./check-events.ts";
export { createStreamChecker, type StreamFinding } from "./check-stream.ts";
export type { Finding, Note, Violation } from "./finding.ts";
export {
  type EnvelopeRuleId,
  type EventRuleId,
  envelopeRules,
  eventRules,
  type Rule,
  type RuleId,
  rules,
} from "./rules.ts";
