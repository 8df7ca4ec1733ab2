import * as HttpApi from "@effect/platform/HttpApi"
import * as PlatformOpenApi from "@effect/platform/OpenApi"
import { RateLimited, ServiceFailure } from "../OpenApiError.ts"
import { AssistantApi } from "./AssistantApi.ts"
import { prefix } from "./Endpoints.ts"
import { Unavailable } from "./Errors.ts"
import { RedemptionsApi } from "./RedemptionsApi.ts"
import { TasksApi } from "./TasksApi.ts"
import { TokenApi } from "./TokenApi.ts"
import { UserApi } from "./UserApi.ts"

/**
 * The whole contract under `{base_url}/openapi/v2`.
 * The errors are declared for the handlers' types and the OpenAPI document. `OpenApiError` encodes and decodes them,
 * because the derived codec would lose the status of an unexpected body.
 */
export class OpenApi extends HttpApi.make("OpenApi")
  .add(TokenApi)
  .add(UserApi)
  .add(AssistantApi)
  .add(TasksApi)
  .add(RedemptionsApi)
  .addError(RateLimited)
  .addError(ServiceFailure)
  .addError(Unavailable)
  .annotateContext(
    PlatformOpenApi.annotations({
      title: "Open API",
      version: "2",
      summary: "Authorization, profile, credits, local assistant and cloud tasks"
    })
  )
  .prefix(prefix) {}
