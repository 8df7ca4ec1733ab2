import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"

/** The environment variable of a flag: `base-url` is `HEDDLE_BASE_URL`. */
export const variable = (flag: string): string => `HEDDLE_${flag.toUpperCase().replaceAll("-", "_")}`

/** One value, without spaces around it; an empty value counts as absent. */
export const text = (flag: string, name = variable(flag)): Options.Options<string | undefined> =>
  Options.map(Options.optional(value(flag, name)), (given) => Option.getOrUndefined(given)?.trim() || undefined)

/** A required value. */
export const required = (flag: string, description: string): Options.Options<string> =>
  withDescription(value(flag), flag, description)

/** An optional value. */
export const optional = (flag: string, description: string): Options.Options<Option.Option<string>> =>
  Options.optional(required(flag, description))

/** A whole number. */
export const integer = (flag: string, description: string): Options.Options<Option.Option<number>> =>
  parsedOption(flag, description, "a whole number", (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined))

/** A whole number of seconds from 1 up. */
export const seconds = (flag: string, description: string): Options.Options<Option.Option<number>> =>
  parsedOption(flag, description, "a whole number of seconds from 1 up", (text) =>
    /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
  )

/** One of some words. */
export const choice = <const A extends string>(
  flag: string,
  choices: ReadonlyArray<A>,
  description: string
): Options.Options<Option.Option<A>> => {
  const words = choices.join(", ")
  return parsedOption(flag, `${description}: ${words}`, `one of ${words}`, (text) =>
    choices.find((word) => word === text)
  )
}

/** A date, with or without a time. */
export const date = (flag: string, description: string): Options.Options<Option.Option<Date>> =>
  parsedOption(flag, description, "a date like 2027-01-31", (text) =>
    /^\d{4}-\d\d-\d\d(T.+)?$/.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text) : undefined
  )

/** Any number of values: the flag repeated, or the variable with a separator between them. */
export const texts = (flag: string, description?: string, separator = ","): Options.Options<ReadonlyArray<string>> => {
  const repeated = Options.repeated(Options.text(flag))
  return (
    description === undefined ? repeated : withDescription(repeated, flag, `${description}; repeat for several`)
  ).pipe(
    Options.mapEffect((values) => (values.length > 0 ? Effect.succeed(values) : readList(variable(flag), separator)))
  )
}

/** A flag without a value; its variable is true or false, and false when it is empty. */
export const flag = (flag: string, description?: string): Options.Options<boolean> => {
  const name = variable(flag)
  const isOn = Options.withFallbackConfig(
    Options.boolean(flag),
    Config.orElse(Config.boolean(name), () => Config.succeed(false))
  )
  const fromVariable = Config.boolean(name).pipe(
    Config.orElse(() => Config.map(Config.literal("")(name), () => false)),
    Config.withDefault(false),
    Effect.mapError(() => invalid(`${name}: give true or false`))
  )
  return (description === undefined ? isOn : withDescription(isOn, flag, description)).pipe(
    Options.withDefault(false),
    Options.mapEffect((isOn) => (isOn ? Effect.succeed(true) : fromVariable))
  )
}

/** The settings that have a value, as an object without the others. */
export const definedOnly = <const A extends Readonly<Record<string, Option.Option<unknown>>>>(
  settings: A
): Defined<A> => Record.getSomes(settings) as Defined<A>

type Defined<A extends Readonly<Record<string, Option.Option<unknown>>>> = {
  readonly [K in keyof A]?: Option.Option.Value<A[K]>
}

/** Makes the error of an invalid value. */
export const invalid = (line: string): ValidationError.ValidationError => ValidationError.invalidValue(HelpDoc.p(line))

const value = (flag: string, name = variable(flag)) =>
  Options.withFallbackConfig(Options.text(flag), Config.string(name))

const withDescription = <A>(options: Options.Options<A>, flag: string, description: string) =>
  Options.withDescription(options, `${description}. Environment: ${variable(flag)}`)

const parsedOption = <A>(flag: string, description: string, expected: string, read: (text: string) => A | undefined) =>
  Options.mapEffect(
    optional(flag, description),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (text) => {
        const value = read(text)
        return value === undefined
          ? Effect.fail(invalid(`--${flag}: ${JSON.stringify(text)} is not ${expected}.`))
          : Effect.succeedSome(value)
      }
    })
  )

const readList = (name: string, separator: string) =>
  Config.string(name).pipe(
    Config.withDefault(""),
    Config.map((values) =>
      values
        .split(separator)
        .map((value) => value.trim())
        .filter((value) => value !== "")
    ),
    Effect.mapError((error) => invalid(`${name}: ${String(error)}`))
  )
