import * as Options from "@effect/cli/Options"
import * as Setting from "@heddle/command-line/Setting"
import type * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import { defaults, type Rates } from "../config/ServerConfig.ts"

/** `--rate-limit NAME=REQUESTS/SECONDS`, for one rate each. */
export const all: Options.Options<Partial<Rates>> = Setting.texts(
  "rate-limit",
  `A rate to change, like user=1200/60 for 1200 requests in 60 seconds: ${names().join(", ")}`
).pipe(Options.mapEffect((given) => Effect.map(Effect.forEach(given, parse), (rates) => Object.assign({}, ...rates))))

const parse = (given: string): Effect.Effect<Partial<Rates>, ValidationError.ValidationError> => {
  const [, name = "", requests, seconds] = /^([A-Za-z]+)=(\d{1,8})\/(\d{1,8})$/.exec(given) ?? []
  return names().includes(name)
    ? Effect.succeed({ [name]: { requests: Number(requests), seconds: Number(seconds) } })
    : Effect.fail(
        Setting.invalid(`--rate-limit: ${JSON.stringify(given)} is not like user=1200/60, with ${names().join(", ")}.`)
      )
}

function names(): ReadonlyArray<string> {
  return Object.keys(defaults.limits.rate)
}
