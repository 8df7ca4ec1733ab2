import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { jsonObject, noField, notStored, status, field } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"

const credit = Api.get("/credit")

const success = required("4.5", "returns 200 with a JSON object", Api.expecting(credit, status(200), jsonObject))

const capacitySize = required(
  "2.4",
  "total_capacity_size is an integer",
  Api.expecting(credit, field("total_capacity_size", Matcher.integer))
)

const capacityUsed = required(
  "2.4",
  "total_capacity_used is an integer",
  Api.expecting(credit, field("total_capacity_used", Matcher.integer))
)

const notNegative = required(
  "2.4",
  "neither number is negative",
  Api.expecting(credit, field("total_capacity_size", Matcher.count), field("total_capacity_used", Matcher.count))
)

const bareBody = decided(
  59,
  "4.5",
  "the body of GET /credit is bare, without an envelope",
  Api.expecting(credit, status(200), noField("data"), noField("code"))
)

const notCached = decided(
  46,
  "4.5",
  "the response to GET /credit is not cached",
  Api.expecting(credit, status(200), notStored)
)

/** The credit quota (contract 2.4, 4.5). */
export const checks: ReadonlyArray<Check> = [success, capacitySize, capacityUsed, notNegative, bareBody, notCached]
