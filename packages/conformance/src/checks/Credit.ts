import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { field, header, jsonObject, noField, status } from "../Expect.ts"
import * as Shape from "../Shape.ts"

const credit = Api.get("/credit")

const success = required("4.5", "answers 200 with a JSON object", Api.expecting(credit, status(200), jsonObject))

const capacitySize = required(
  "2.4",
  "total_capacity_size is an integer",
  Api.expecting(credit, field("total_capacity_size", Shape.integer))
)

const capacityUsed = required(
  "2.4",
  "total_capacity_used is an integer",
  Api.expecting(credit, field("total_capacity_used", Shape.integer))
)

const notNegative = required(
  "2.4",
  "neither number is negative",
  Api.expecting(credit, field("total_capacity_size", Shape.count), field("total_capacity_used", Shape.count))
)

const bareBody = ruling(
  59,
  "4.5",
  "the body of GET /credit is bare, without an envelope",
  Api.expecting(credit, status(200), noField("data"), noField("code"))
)

const notCached = ruling(
  46,
  "4.5",
  "the answer of GET /credit is not stored by caches",
  Api.expecting(credit, status(200), header("cache-control", /\bno-store\b/i))
)

/** The credit quota (2.4, 4.5). */
export const checks: ReadonlyArray<Check> = [success, capacitySize, capacityUsed, notNegative, bareBody, notCached]
