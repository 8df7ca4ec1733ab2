import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { jsonObject, noField, notStored, status, field } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"

const credit = Api.get("/credit")

/** The credit quota (contract 2.4, 4.5). */
export const checks: ReadonlyArray<Check> = [
  required("4.5", "returns 200 with a JSON object", Api.send(credit, status(200), jsonObject)),
  ...["total_capacity_size", "total_capacity_used"].map((name) =>
    required("2.4", `${name} is an integer`, Api.send(credit, field(name, Matcher.integer)))
  ),
  required(
    "2.4",
    "neither number is negative",
    Api.send(
      credit,
      field("total_capacity_size", Matcher.nonNegativeInteger),
      field("total_capacity_used", Matcher.nonNegativeInteger)
    )
  ),
  decided(
    "4.5",
    "the body of GET /credit is bare, without an envelope",
    { decisions: [59] },
    Api.send(credit, status(200), noField("data"), noField("code"))
  ),
  decided(
    "4.5",
    "the response to GET /credit is not cached",
    { decisions: [46] },
    Api.send(credit, status(200), notStored)
  )
]
