import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { InvalidClient, InvalidRequest, ServiceFailure, UnexpectedStatus } from "../OpenApiError.ts"

const BodyTooLarge = UnexpectedStatus.annotations(
  HttpApiSchema.annotations({ status: 413, description: "`invalid_request`: the body is too large." })
)

const UnsupportedMediaType = UnexpectedStatus.annotations(
  HttpApiSchema.annotations({ status: 415, description: "`invalid_request`: the body is not `application/json`." })
)

/** The errors of a JSON body: malformed, too large, or of another type. */
export const JsonBodyError = Schema.Union(InvalidRequest, BodyTooLarge, UnsupportedMediaType)

const UnsupportedEncoding = UnexpectedStatus.annotations(
  HttpApiSchema.annotations({ status: 415, description: "`invalid_request`: the form is compressed, or not in UTF-8." })
)

/** The errors of a form that carries the credentials of an application. */
export const ClientFormError = Schema.Union(InvalidRequest, InvalidClient, BodyTooLarge, UnsupportedEncoding)

/** 502: something behind the service failed. */
export const BadGateway = ServiceFailure.annotations(
  HttpApiSchema.annotations({ status: 502, description: "`server_error`: the local assistant failed." })
)

/** 503: the service is unavailable. */
export const Unavailable = ServiceFailure.annotations(
  HttpApiSchema.annotations({
    status: 503,
    description: "`temporarily_unavailable`: the service cannot answer now. Wait as `Retry-After` says."
  })
)
