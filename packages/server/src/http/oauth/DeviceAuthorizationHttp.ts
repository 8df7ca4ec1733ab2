import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { DeviceAuthorization } from "@heddle/core/domain/Device"
import { ScopeSet } from "@heddle/core/domain/Scope"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { codeLife, interval } from "../../oauth/DeviceCodes.ts"
import { Devices } from "../../oauth/Devices.ts"
import * as IpAddress from "../../internal/IpAddress.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as Attempts from "../../limits/Attempts.ts"
import * as FormBody from "../message/FormBody.ts"
import * as ApiError from "../../internal/ApiError.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { ClientAuthentication } from "./ClientAuthentication.ts"
import * as DevicePages from "./DevicePages.ts"
import * as OauthStatuses from "./OauthStatuses.ts"

/**
 * The device authorization endpoint (RFC 8628 3.1 and 3.2), where the device flow is enabled (contract decision 47). An
 * application gets at most 100 codes in ten minutes from one address, because every open code makes guessing easier.
 */
export const make = Effect.gen(function* () {
  const clients = yield* ClientAuthentication
  const devices = yield* Devices
  const { contract, publicUrl } = yield* ServerConfig
  const requests = Attempts.make({ limit: 100, windowMillis: Duration.toMillis("10 minutes") })

  return Effect.fn("DeviceAuthorizationHttp")(function* (request: HttpServerRequest.HttpServerRequest) {
    if (!contract.deviceFlow) return yield* ApiError.notFound("This service has no device flow.")
    const form = yield* FormBody.read(request)
    const application = yield* clients.check(form, { isDeviceFlow: true })
    const requestedScope = form.optional("scope")
    const scopes = requestedScope === undefined ? application.scopes : decodeScopes(requestedScope)
    if (scopes.size === 0) return yield* ApiError.invalidScope("The application has no bound scope.")
    if ([...scopes].some((scope) => !application.scopes.has(scope))) {
      return yield* ApiError.invalidScope("The requested scope exceeds what the application is bound to.")
    }
    const address = Option.getOrElse(request.remoteAddress, () => "unknown")
    const waitMs = requests.begin(
      JSON.stringify([application.clientId, IpAddress.network(address)]),
      yield* MonotonicClock.now
    )
    if (waitMs !== undefined) return yield* ApiError.rateLimited("Too many device codes.", Math.ceil(waitMs / 1000))
    const { deviceCode, userCode } = yield* devices.start({ clientId: application.clientId, scopes })
    const verificationUri = publicUrl + DevicePages.path
    const authorization = new DeviceAuthorization({
      deviceCode,
      userCode,
      verificationUri,
      verificationUriComplete: `${verificationUri}?user_code=${userCode}`,
      expiresIn: Duration.toSeconds(codeLife),
      interval: Duration.toSeconds(interval)
    })
    return HttpServerResponse.unsafeJson(encode(authorization), { headers: { "cache-control": "no-store" } })
  }, OauthStatuses.apply(contract.oauthStatuses))
})

const decodeScopes = Schema.decodeSync(ScopeSet)
const encode = Schema.encodeSync(DeviceAuthorization)
