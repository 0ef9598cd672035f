/**
 * The user's own model provider. Copilot's command line reads it from the environment, but its server does not, so the
 * driver sends what the command line would have read.
 */
export function providerOf(environment: Readonly<Record<string, string | undefined>>): object | undefined {
  if (!environment.COPILOT_PROVIDER_BASE_URL) return undefined;
  const texts = Object.entries(variables).map(([field, name]) => [field, environment[name]]);
  const numbers = Object.entries(limits).map(([field, name]) => [field, Number(environment[name]) || undefined]);
  const given = [...texts, ...numbers].filter(([, value]) => value !== undefined && value !== "");
  const apiVersion = environment.COPILOT_PROVIDER_AZURE_API_VERSION;
  const headers = headersIn(environment.COPILOT_PROVIDER_HEADERS ?? "");
  return { ...Object.fromEntries(given), ...(apiVersion && { azure: { apiVersion } }), ...(headers && { headers }) };
}

/** `Name: Value` lines; line breaks may be written as `\n`. */
function headersIn(text: string): Record<string, string> | undefined {
  const pairs = [...text.replaceAll("\\n", "\n").matchAll(/^\s*([^:\s]+)\s*:\s*(.*?)\s*$/gm)];
  return pairs.length > 0 ? Object.fromEntries(pairs.map(([, name, value]) => [name, value])) : undefined;
}

const variables = {
  type: "COPILOT_PROVIDER_TYPE",
  wireApi: "COPILOT_PROVIDER_WIRE_API",
  transport: "COPILOT_PROVIDER_TRANSPORT",
  baseUrl: "COPILOT_PROVIDER_BASE_URL",
  apiKey: "COPILOT_PROVIDER_API_KEY",
  bearerToken: "COPILOT_PROVIDER_BEARER_TOKEN",
  modelId: "COPILOT_PROVIDER_MODEL_ID",
  wireModel: "COPILOT_PROVIDER_WIRE_MODEL",
};

const limits = {
  maxPromptTokens: "COPILOT_PROVIDER_MAX_PROMPT_TOKENS",
  maxOutputTokens: "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS",
};
