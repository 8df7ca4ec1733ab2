import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Bearer, RequiredScope } from "./Bearer.ts"
import { user } from "./Endpoints.ts"
import { JsonBodyError } from "./Errors.ts"

/** Profile, phone verification and credits on the wire (contract 4.3–4.5). */
export class UserApi extends HttpApiGroup.make("user")
  .add(
    HttpApiEndpoint.get("profile", user.profile.path)
      .addSuccess(user.profile.success)
      .annotate(RequiredScope, "user.profile.readable")
      .annotate(OpenApi.Summary, "Read nickname and avatar")
  )
  .add(
    HttpApiEndpoint.post("verifyPhone", user.verifyPhone.path)
      .setPayload(user.verifyPhone.payload)
      .addSuccess(user.verifyPhone.success)
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
    HttpApiEndpoint.get("credit", user.credit.path)
      .addSuccess(user.credit.success)
      .annotate(RequiredScope, "user.credit.readable")
      .annotate(OpenApi.Summary, "Read the credit quota")
  )
  .annotate(OpenApi.Description, "Profile, phone verification and credits.")
  .middleware(Bearer) {}
