import * as Schema from "effect/Schema"
import { optional, WireSeconds } from "./Wire.ts"

/**
 * The form of a device that asks for codes (RFC 8628 3.1). Without `scope` it asks for all that the application may.
 */
export const DeviceRequest = Schema.Struct({
  clientId: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("client_id")),
  clientSecret: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("client_secret")),
  scope: Schema.optionalWith(Schema.String, { exact: true })
})

/**
 * What a device shows its user, and with what it polls (RFC 8628 3.2). `expiresIn` and `interval` are seconds; without
 * an interval the device waits five.
 */
export class DeviceAuthorization extends Schema.Class<DeviceAuthorization>("@heddle/core/DeviceAuthorization")({
  deviceCode: Schema.propertySignature(Schema.Redacted(Schema.NonEmptyString)).pipe(Schema.fromKey("device_code")),
  userCode: Schema.propertySignature(Schema.NonEmptyString).pipe(Schema.fromKey("user_code")),
  verificationUri: Schema.propertySignature(Schema.NonEmptyString).pipe(Schema.fromKey("verification_uri")),
  verificationUriComplete: optional(Schema.String).pipe(Schema.fromKey("verification_uri_complete")),
  expiresIn: Schema.propertySignature(WireSeconds).pipe(Schema.fromKey("expires_in")),
  interval: optional(WireSeconds)
}) {}
