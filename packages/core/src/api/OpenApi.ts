import * as HttpApi from "@effect/platform/HttpApi"
import {
  AccessDenied,
  Conflict,
  Forbidden,
  InvalidClient,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  NotFound,
  RateLimited,
  ServiceFailure,
  UnexpectedStatus,
  Unsupported
} from "../OpenApiError.ts"
import { AssistantApi } from "./AssistantApi.ts"
import { RedemptionsApi } from "./RedemptionsApi.ts"
import { TasksApi } from "./TasksApi.ts"
import { TokenApi } from "./TokenApi.ts"
import { UserApi } from "./UserApi.ts"

/**
 * The whole contract under `{base_url}/openapi/v2`.
 * The errors are declared for the handlers' types; how each travels is `OpenApiError`'s affair on both ends,
 * because the derived codec would lose the status of an unexpected body.
 */
export class OpenApi extends HttpApi.make("OpenApi")
  .add(TokenApi)
  .add(UserApi)
  .add(AssistantApi)
  .add(TasksApi)
  .add(RedemptionsApi)
  .addError(InvalidRequest, { status: 400 })
  .addError(InvalidGrant, { status: 400 })
  .addError(Unsupported, { status: 400 })
  .addError(InvalidScope, { status: 400 })
  .addError(InvalidClient, { status: 401 })
  .addError(AccessDenied, { status: 403 })
  .addError(Forbidden, { status: 403 })
  .addError(NotFound, { status: 404 })
  .addError(Conflict, { status: 409 })
  .addError(RateLimited, { status: 429 })
  .addError(ServiceFailure, { status: 500 })
  .addError(UnexpectedStatus, { status: 405 })
  .prefix("/openapi/v2") {}
