/** Settings that stop Claude Code's side requests, whichever program starts it. */
export const claudeEnv = {
  ANTHROPIC_BASE_URL: "{url}",
  ANTHROPIC_API_KEY: "dummy-key",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  // Otherwise it retries for minutes.
  CLAUDE_CODE_MAX_RETRIES: "2",
  // Without them it has no tools for a plan.
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  CLAUDE_CODE_ENABLE_TASKS: "1",
  // Without it, root may not skip permissions.
  IS_SANDBOX: "1",
};

export const codexEnv = { CODEX_HOME: "{home}/.codex", SCRIPTED_API_KEY: "dummy-key" };

export const codexFiles = {
  ".codex/config.toml": [
    // The model determines which tools exist: this one has exec_command and apply_patch.
    'model = "gpt-5.5"',
    'model_provider = "scripted"',
    "check_for_update_on_startup = false",
    "analytics.enabled = false",
    // Otherwise it downloads a catalog of plugins.
    "features.plugins = false",
    // Off by default.
    "tools.update_plan.enabled = true",
    "[model_providers.scripted]",
    'name = "scripted"',
    'base_url = "{url}/v1"',
    'env_key = "SCRIPTED_API_KEY"',
    'wire_api = "responses"',
  ],
};

export const piEnv = { PI_OFFLINE: "1", PI_TELEMETRY: "0" };

export const piFiles = {
  ".pi/agent/settings.json": { defaultProvider: "scripted", defaultModel: "scripted-model" },
  ".pi/agent/models.json": {
    providers: {
      scripted: {
        baseUrl: "{url}/v1",
        api: "openai-completions",
        apiKey: "dummy-key",
        compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
        models: [{ id: "scripted-model", reasoning: true, input: ["text"], contextWindow: 128000, maxTokens: 8192 }],
      },
    },
  },
};

/** The settings of OpenCode and of agents derived from it. */
export const opencodeSettings = {
  autoupdate: false,
  share: "disabled",
  model: "scripted/scripted-model",
  small_model: "scripted/scripted-model",
  enabled_providers: ["scripted"],
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: "{url}/v1", apiKey: "dummy-key" },
      models: {
        "scripted-model": {
          ...{ reasoning: true, tool_call: true, attachment: true },
          interleaved: { field: "reasoning_content" },
          cost: { input: 1, output: 2 },
          limit: { context: 128000, output: 8192 },
        },
      },
    },
  },
};
