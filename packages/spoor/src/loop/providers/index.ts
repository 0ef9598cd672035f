export { endOf, ModelError, modelFailureOf } from "./failures.ts";
export { checkModel, findModel } from "./find-model.ts";
export { listProviders } from "./list-providers.ts";
export { loadModelPrices } from "./prices.ts";
export type { LoopModel, ModelApi, ModelFailure, Provider } from "./provider.ts";
export { callOptionsOf, type ModelRequest, type ModelSettings, settingsProblem } from "./request.ts";
export { usageOf } from "./usage.ts";
