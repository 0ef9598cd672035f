/**
 * The agents' real command lines as data: where the program lies, and how it is pointed at a model server and kept
 * quiet, offline and at home. In strings, `{url}` is the model server, `{home}` the private home, `{prompt}` the prompt,
 * `{platform}` Node's platform and architecture, `{triple}` the same as Rust names it.
 */
export interface Cli {
  name: string;
  /** Below `conformance/node_modules`. A `.js` file runs on the Node that runs us. */
  program: string;
  version: readonly string[];
  /** One prompt, answered on stdout as JSON lines, tools run unasked. Nothing here points at the model server. */
  oneShot: readonly string[];
  /** Beside `BASE`. */
  env: Readonly<Record<string, string>>;
  /** Placed in the private home; an object as JSON, lines as lines. */
  files?: Readonly<Record<string, object | readonly string[]>>;
}

/**
 * All of the environment there is, but for `PATH`. Who would leave the machine is sent to the model server, which
 * records and refuses it.
 */
export const BASE: Readonly<Record<string, string>> = {
  HOME: "{home}",
  TMPDIR: "{home}/tmp",
  LANG: "C.UTF-8",
  TERM: "xterm-256color",
  NO_COLOR: "1",
  HTTPS_PROXY: "{url}",
  HTTP_PROXY: "{url}",
  NO_PROXY: "127.0.0.1",
  // Else Node's own fetch heeds no proxy.
  NODE_USE_ENV_PROXY: "1",
};

export const CLIS: readonly Cli[] = [
  {
    name: "claude",
    // Not the `claude` in .bin, which only an install script makes work.
    program: "@anthropic-ai/claude-code-{platform}/claude",
    version: ["--version"],
    oneShot: ["-p", "{prompt}", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"],
    env: {
      ANTHROPIC_BASE_URL: "{url}",
      ANTHROPIC_API_KEY: "dummy-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      // Else it tries again for minutes.
      CLAUDE_CODE_MAX_RETRIES: "2",
      // Without it, root may not skip permissions.
      IS_SANDBOX: "1",
    },
  },
  {
    name: "codex",
    program: "@openai/codex-{platform}/vendor/{triple}/bin/codex",
    version: ["--version"],
    oneShot: ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "{prompt}"],
    env: { CODEX_HOME: "{home}/.codex", SCRIPTED_API_KEY: "dummy-key" },
    files: {
      ".codex/config.toml": [
        // The model decides which tools there are: this one has exec_command and apply_patch.
        'model = "gpt-5.5"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        "analytics.enabled = false",
        // Else it fetches a catalog of plugins.
        "features.plugins = false",
        "[model_providers.scripted]",
        'name = "scripted"',
        'base_url = "{url}/v1"',
        'env_key = "SCRIPTED_API_KEY"',
        'wire_api = "responses"',
      ],
    },
  },
  {
    name: "gemini",
    program: "@google/gemini-cli/bundle/gemini.js",
    version: ["--version"],
    oneShot: ["--output-format", "stream-json", "--yolo", "-p", "{prompt}"],
    env: {
      GEMINI_API_KEY: "dummy-key",
      GOOGLE_GEMINI_BASE_URL: "{url}",
      // Left to choose, it asks a model first which model to ask.
      GEMINI_MODEL: "gemini-2.5-pro",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_TELEMETRY_ENABLED: "false",
      // Else it starts itself a second time, and signals to the first are lost.
      GEMINI_CLI_NO_RELAUNCH: "true",
    },
    files: {
      ".gemini/settings.json": {
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: "gemini-api-key" } },
        ide: { enabled: false },
        // Else it fetches the program.
        tools: { useRipgrep: false },
      },
    },
  },
  {
    name: "pi",
    program: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
    version: ["--version"],
    oneShot: ["--mode", "json", "{prompt}"],
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    files: {
      ".pi/agent/settings.json": { defaultProvider: "scripted", defaultModel: "scripted-model" },
      ".pi/agent/models.json": {
        providers: {
          scripted: {
            baseUrl: "{url}/v1",
            api: "openai-completions",
            apiKey: "dummy-key",
            compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
            models: [
              { id: "scripted-model", reasoning: true, input: ["text"], contextWindow: 128000, maxTokens: 8192 },
            ],
          },
        },
      },
    },
  },
  {
    name: "qwen",
    program: "@qwen-code/qwen-code/cli-entry.js",
    version: ["--version"],
    oneShot: ["--output-format", "stream-json", "--include-partial-messages", "--yolo", "-p", "{prompt}"],
    env: {
      OPENAI_API_KEY: "dummy-key",
      OPENAI_BASE_URL: "{url}/v1",
      OPENAI_MODEL: "scripted-model",
      QWEN_TELEMETRY_ENABLED: "false",
      QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
    },
    files: {
      ".qwen/settings.json": {
        general: { enableAutoUpdate: false },
        // Else it asks the model, with tools, what to remember.
        memory: { enableManagedAutoMemory: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: "openai" } },
        // Without a terminal it now and then loses all that a quick command printed.
        tools: { useRipgrep: false, shell: { enableInteractiveShell: true } },
      },
    },
  },
];
