import * as Schema from "effect/Schema"
import { model, optional, required, UriText, WireSeconds } from "./Wire.ts"

/**
 * The form of a device authorization request (RFC 8628 3.1). Without `scope` it requests all scopes of the application.
 */
export const DeviceRequest = Schema.Struct({
  clientId: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("client_id")),
  clientSecret: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("client_secret")),
  scope: Schema.optionalWith(Schema.String, { exact: true })
})

/**
 * The device authorization response (RFC 8628 3.2): the codes to show and to poll with. `expiresIn` and `interval` are seconds; without
 * an interval the device waits five.
 */
export class DeviceAuthorization extends model<DeviceAuthorization>("DeviceAuthorization")({
  deviceCode: required(
    "device_code",
    Schema.Redacted(Schema.NonEmptyString),
    "The device polls with it and never shows it."
  ),
  userCode: required("user_code", Schema.NonEmptyString, "The code that the user types on the page.").annotations({
    examples: ["WDJB-MJHT"]
  }),
  verificationUri: required(
    "verification_uri",
    UriText.pipe(Schema.nonEmptyString()),
    "The page where the user types the code."
  ),
  verificationUriComplete: optional(UriText, "The same page, with the code in its URL.").pipe(
    Schema.fromKey("verification_uri_complete")
  ),
  expiresIn: required("expires_in", WireSeconds, "Seconds that both codes live."),
  interval: optional(WireSeconds, "Seconds to wait between two polls.")
}) {}
