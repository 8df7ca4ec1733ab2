import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The environment variable of a flag: `base-url` is `HEDDLE_BASE_URL`. */
export const variable = (flag: string): string => `HEDDLE_${flag.toUpperCase().replaceAll("-", "_")}`

/** One value, without spaces around it; an empty value counts as absent. */
export const text = (flag: string, name = variable(flag)): Options.Options<string | undefined> =>
  Options.text(flag).pipe(
    Options.withFallbackConfig(Config.string(name)),
    Options.optional,
    Options.map((value) => Option.getOrUndefined(value)?.trim() || undefined)
  )

/** Any number of values: the flag repeated, or the variable with commas. */
export const texts = (flag: string, name = variable(flag)): Options.Options<ReadonlyArray<string>> =>
  Options.text(flag).pipe(
    Options.repeated,
    Options.mapEffect((values) => (values.length > 0 ? Effect.succeed(values) : separated(name)))
  )

/** A flag without a value; its variable is true or false. */
export const flag = (flag: string, name = variable(flag)): Options.Options<boolean> =>
  Options.boolean(flag).pipe(
    Options.mapEffect((on) =>
      on
        ? Effect.succeed(true)
        : Config.boolean(name).pipe(
            Config.orElse(() => Config.map(Config.literal("")(name), () => false)),
            Config.withDefault(false),
            Effect.mapError(() => invalid(`${name}: give true or false`))
          )
    )
  )

const separated = (name: string) =>
  Config.string(name).pipe(
    Config.withDefault(""),
    Config.map((values) => values.split(",").filter((value) => value !== "")),
    Effect.mapError((error) => invalid(`${name}: ${String(error)}`))
  )

const invalid = (line: string) => ValidationError.invalidValue(HelpDoc.p(line))
