import { NodeHttpClient } from "@effect/platform-node"
import * as AccessToken from "@heddle/core/AccessToken"
import * as Assistant from "@heddle/core/Assistant"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Redemptions from "@heddle/core/Redemptions"
import * as Tasks from "@heddle/core/Tasks"
import * as Users from "@heddle/core/Users"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** The capability services on a real HTTP client, with a fixed token unless another is given. */
export const layer = (
  baseUrl: string,
  options: {
    readonly variant?: Assistant.Variant
    readonly idempotencyKeys?: boolean
    readonly token?: Layer.Layer<AccessToken.AccessToken>
  } = {}
) =>
  Layer.mergeAll(
    Tasks.layer,
    Users.layer,
    Redemptions.layer,
    options.variant === undefined ? Assistant.layer : Assistant.layerVariant(options.variant)
  ).pipe(
    Layer.provide(OpenApiClient.layer({ baseUrl, idempotencyKeys: options.idempotencyKeys ?? "auto" })),
    Layer.provide(options.token ?? AccessToken.layer(Redacted.make("oa_at_of_this_test_0123456789"))),
    Layer.provide(NodeHttpClient.layer)
  )
