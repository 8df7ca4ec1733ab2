import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { CreditQuota } from "../domain/CreditQuota.ts"
import { PhoneNumber, PhoneVerification } from "../domain/PhoneVerification.ts"
import { Profile } from "../domain/Profile.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"

/** Profile, phone verification and credits on the wire (contract 4.3–4.5). */
export class UserApi extends HttpApiGroup.make("user")
  .add(
    HttpApiEndpoint.get("profile", "/user/profile").addSuccess(Profile).annotate(RequiredScope, "user.profile.readable")
  )
  .add(
    HttpApiEndpoint.post("verifyPhone", "/user/phoneverification")
      .setPayload(PhoneNumber)
      .addSuccess(PhoneVerification)
      .annotate(RequiredScope, "user.contact.readable")
  )
  .add(HttpApiEndpoint.get("credit", "/credit").addSuccess(CreditQuota).annotate(RequiredScope, "user.credit.readable"))
  .middleware(Bearer) {}
