import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Redemption, RedemptionRequest } from "../domain/Redemption.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"

/** Redemption on the wire (contract 4.12). */
export class RedemptionsApi extends HttpApiGroup.make("redemptions")
  .add(
    HttpApiEndpoint.post("redeem", "/redemptions")
      .setPayload(RedemptionRequest)
      .addSuccess(Redemption)
      .annotate(RequiredScope, "user.credit.exchange")
  )
  .middleware(Bearer) {}
