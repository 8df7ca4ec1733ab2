import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { field, header, jsonObject, noField, status } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"

const profile = Api.get("/user/profile")

const success = required("4.3", "returns 200 with a JSON object", Api.expecting(profile, status(200), jsonObject))

const nickname = required(
  "2.2",
  "nickname is a string or absent",
  Api.expecting(profile, field("nickname", Matcher.optional(Matcher.string)))
)

const avatar = required(
  "2.2",
  "avatar is a string or absent",
  Api.expecting(profile, field("avatar", Matcher.optional(Matcher.string)))
)

const avatarAddress = required(
  "2.2",
  "a non-empty avatar is a URL",
  Api.expecting(
    profile,
    field(
      "avatar",
      Matcher.matcher("empty, absent or an address", (value) => !value || Matcher.url.matches(value))
    )
  )
)

const alwaysPresent = decided(
  54,
  "2.2",
  "nickname and avatar are always present, empty when unset",
  Api.expecting(profile, field("nickname", Matcher.string), field("avatar", Matcher.string))
)

const contentType = required(
  "4.3",
  "the Content-Type is application/json; charset=utf-8",
  Api.expecting(profile, status(200), header("content-type", /^application\/json;\s*charset="?utf-8"?$/i))
)

const cacheControl = required(
  "4.3",
  "Cache-Control is private, no-store",
  Api.expecting(profile, status(200), header("cache-control", /^(?=.*\bprivate\b)(?=.*\bno-store\b)/i))
)

const bareBody = decided(
  59,
  "4.3",
  "the body of GET /user/profile is bare, without an envelope",
  Api.expecting(profile, status(200), noField("data"), noField("code"))
)

/** The profile (contract 2.2, 4.3). */
export const checks: ReadonlyArray<Check> = [
  success,
  nickname,
  avatar,
  avatarAddress,
  alwaysPresent,
  contentType,
  cacheControl,
  bareBody
]
