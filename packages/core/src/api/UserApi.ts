import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { CreditQuota } from "../domain/CreditQuota.ts"
import { PhoneNumber, PhoneVerification } from "../domain/PhoneVerification.ts"
import { Profile } from "../domain/Profile.ts"
import { Bearer, RequiredScope } from "./Bearer.ts"
import { JsonBodyError } from "./Errors.ts"

/** Profile, phone verification and credits on the wire (contract 4.3–4.5). */
export class UserApi extends HttpApiGroup.make("user")
  .add(
    HttpApiEndpoint.get("profile", "/user/profile")
      .addSuccess(Profile)
      .annotate(RequiredScope, "user.profile.readable")
      .annotate(OpenApi.Summary, "Read nickname and avatar")
  )
  .add(
    HttpApiEndpoint.post("verifyPhone", "/user/phoneverification")
      .setPayload(PhoneNumber)
      .addSuccess(PhoneVerification)
      .addError(JsonBodyError)
      .annotate(RequiredScope, "user.contact.readable")
      .annotateContext(
        OpenApi.annotations({
          summary: "Compare a mobile number with the user's",
          description:
            "The answer never contains the user's number. Each application may try ten numbers an hour for each user."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("credit", "/credit")
      .addSuccess(CreditQuota)
      .annotate(RequiredScope, "user.credit.readable")
      .annotate(OpenApi.Summary, "Read the credit quota")
  )
  .annotate(OpenApi.Description, "Profile, phone verification and credits.")
  .middleware(Bearer) {}
