import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { field, header, jsonObject, noField, status } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"

const profile = Api.get("/user/profile")

const optionalAddress = Matcher.matcher("empty, absent or an address", (value) => !value || Matcher.url.matches(value))

/** The profile (contract 2.2, 4.3). */
export const checks: ReadonlyArray<Check> = [
  required("4.3", "returns 200 with a JSON object", Api.send(profile, status(200), jsonObject)),
  required(
    "2.2",
    "nickname is a string or absent",
    Api.send(profile, field("nickname", Matcher.optional(Matcher.string)))
  ),
  required("2.2", "avatar is a string or absent", Api.send(profile, field("avatar", Matcher.optional(Matcher.string)))),
  required("2.2", "a non-empty avatar is a URL", Api.send(profile, field("avatar", optionalAddress))),
  decided(
    "2.2",
    "nickname and avatar are always present, empty when unset",
    { decisions: [54] },
    Api.send(profile, field("nickname", Matcher.string), field("avatar", Matcher.string))
  ),
  required(
    "4.3",
    "the Content-Type is application/json; charset=utf-8",
    Api.send(profile, status(200), header("content-type", /^application\/json;\s*charset="?utf-8"?$/i))
  ),
  required(
    "4.3",
    "Cache-Control is private, no-store",
    Api.send(profile, status(200), header("cache-control", /^(?=.*\bprivate\b)(?=.*\bno-store\b)/i))
  ),
  decided(
    "4.3",
    "the body of GET /user/profile is bare, without an envelope",
    { decisions: [59] },
    Api.send(profile, status(200), noField("data"), noField("code"))
  )
]
