import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as StateFolder from "../internal/StateFolder.ts"

// Every setting is a flag and the environment variable of the same name: `--public-url` and `HEDDLE_PUBLIC_URL`.

export const text = (name: string, description: string): Options.Options<Option.Option<string>> =>
  Options.optional(requiredText(name, description))

export const requiredText = (name: string, description: string): Options.Options<string> =>
  Options.text(name).pipe(
    Options.withFallbackConfig(Config.string(variable(name))),
    Options.withDescription(described(name, description))
  )

export const integer = (name: string, description: string): Options.Options<Option.Option<number>> =>
  checked(text(name, description), name, (given) =>
    /^-?\d{1,15}$/.test(given) ? Option.some(Number(given)) : Option.none()
  )("a whole number")

export const choice = <const A extends string>(
  name: string,
  choices: ReadonlyArray<A>,
  description: string
): Options.Options<Option.Option<A>> =>
  checked(text(name, `${description}: ${choices.join(", ")}`), name, (given) =>
    Option.fromNullable(choices.find((choice) => choice === given))
  )(`one of ${choices.join(", ")}`)

export const date = (name: string, description: string): Options.Options<Option.Option<Date>> =>
  checked(text(name, description), name, (given) =>
    /^\d{4}-\d\d-\d\d(T.+)?$/.test(given) && !Number.isNaN(Date.parse(given))
      ? Option.some(new Date(given))
      : Option.none()
  )("a date like 2027-01-31")

export const flag = (name: string, description: string): Options.Options<boolean> =>
  Options.boolean(name).pipe(
    Options.withFallbackConfig(Config.boolean(variable(name))),
    Options.withDescription(described(name, description)),
    Options.withDefault(false)
  )

/** Any number of values: the flag repeated, or the variable with commas. */
export const texts = (name: string, description: string): Options.Options<ReadonlyArray<string>> =>
  Options.text(name).pipe(
    Options.repeated,
    Options.withDescription(described(name, `${description}; repeat for several`)),
    Options.mapEffect((given) =>
      given.length > 0
        ? Effect.succeed(given)
        : Config.array(Config.string(), variable(name)).pipe(
            Config.withDefault([]),
            Effect.mapError((error) => invalid(`${variable(name)}: ${String(error)}`))
          )
    )
  )

export const dataDir: Options.Options<string> = requiredText("data", "The folder that keeps everything").pipe(
  Options.withDefault(StateFolder.standard())
)

export const json: Options.Options<boolean> = flag("json", "Print JSON, one object per line")

const checked =
  <A>(option: Options.Options<Option.Option<string>>, name: string, read: (given: string) => Option.Option<A>) =>
  (expected: string): Options.Options<Option.Option<A>> =>
    Options.mapEffect(
      option,
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (given) =>
          Option.match(read(given), {
            onNone: () => Effect.fail(invalid(`--${name}: ${JSON.stringify(given)} is not ${expected}.`)),
            onSome: (value) => Effect.succeedSome(value)
          })
      })
    )

const invalid = (line: string) => ValidationError.invalidValue(HelpDoc.p(line))

// Hoisted, because the settings above that take no argument are made while this module loads.
function variable(name: string): string {
  return `HEDDLE_${name.toUpperCase().replaceAll("-", "_")}`
}

function described(name: string, description: string): string {
  return `${description}. Environment: ${variable(name)}`
}
