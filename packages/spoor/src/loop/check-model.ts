import { ValidationError } from "../failures/errors.ts";
import { checkModel } from "./providers/find-model.ts";

/** Throws if no model is named, if no provider has it, or if the key of its provider is missing. Loads no provider. */
export function checkLoopModel(model: string | undefined, environment: NodeJS.ProcessEnv): void {
  if (model === undefined) {
    const message = "model is missing: name it as provider/model, such as anthropic/claude-sonnet-4-5 or demo/tour.";
    throw new ValidationError([{ field: "model", message }]);
  }
  checkModel(model, environment);
}
