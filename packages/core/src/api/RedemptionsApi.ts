import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Conflict, InvalidGrant, NotFound } from "../OpenApiError.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"
import { redemptions } from "./Endpoints.ts"
import { JsonBodyError } from "./Errors.ts"

/** Redemption on the wire (contract 4.12). */
export class RedemptionsApi extends HttpApiGroup.make("redemptions")
  .add(
    HttpApiEndpoint.post("redeem", redemptions.redeem.path)
      .setPayload(redemptions.redeem.payload)
      .addSuccess(redemptions.redeem.success)
      .addError(JsonBodyError)
      .addError(InvalidGrant)
      .addError(NotFound)
      .addError(Conflict)
      .annotate(RequiredScope, "user.credit.exchange")
      .annotateContext(
        OpenApi.annotations({
          summary: "Redeem a code or a voucher",
          description:
            "Happens once for each `request_id`. `invalid_grant` is final: the code is used, expired or exhausted."
        })
      )
  )
  .annotate(OpenApi.Description, "Credits for codes and vouchers.")
  .middleware(Bearer) {}
