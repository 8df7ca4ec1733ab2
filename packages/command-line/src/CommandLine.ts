import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import type * as Usage from "@effect/cli/Usage"
import type * as ValidationError from "@effect/cli/ValidationError"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { stripVTControlCharacters } from "node:util"
import { UsageError } from "./UsageError.ts"

/** A parsed command line: a request for help or the version, or its options and operands. */
export type CommandLine<A> =
  | { readonly _tag: "Help" | "Version" }
  | { readonly _tag: "Values"; readonly options: A; readonly operands: ReadonlyArray<string> }

/**
 * Reads the arguments of a program, without its own name, and the environment. It runs synchronously. Fails with
 * `UsageError` on an unknown flag, a flag without its value, or a repeated flag.
 */
export const read = <A>(
  options: Options.Options<A>,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Effect.Effect<CommandLine<A>, UsageError> =>
  Effect.gen(function* () {
    const descriptor = CommandDescriptor.make(program, options, Args.repeated(Args.text({ name: "operand" })))
    const directive = yield* CommandDescriptor.parse(descriptor, [program, ...args], CliConfig.defaultConfig)
    if (directive._tag === "BuiltIn") {
      switch (directive.option._tag) {
        case "ShowHelp":
          return { _tag: "Help" } as const
        case "ShowVersion":
          return { _tag: "Version" } as const
        default:
          return yield* new UsageError({ message: `Unknown option '${args.find(isFlag) ?? ""}'` })
      }
    }
    const operands = directive.value.args
    const flag = args.includes("--") ? undefined : operands.find(isFlag)
    if (flag === "-h") return { _tag: "Help" } as const
    if (flag !== undefined) return yield* flagError(flag, args, flagNamesIn(Options.getUsage(options)))
    return { _tag: "Values", options: directive.value.options, operands } as const
  }).pipe(
    Effect.mapError((error) => (error._tag === "UsageError" ? error : new UsageError({ message: toOneLine(error) }))),
    Effect.withConfigProvider(ConfigProvider.fromMap(definedVariables(env))),
    Effect.provide(noPrompts)
  )

const program = "program"

/** The services of interactive prompts, which the options here never use. */
const noPrompts = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(Terminal.Terminal, {
    columns: Effect.succeed(0),
    rows: Effect.succeed(0),
    isTTY: Effect.succeed(false),
    readInput: Effect.dieMessage("a command line is read without a terminal"),
    readLine: Effect.dieMessage("a command line is read without a terminal"),
    display: () => Effect.void
  })
)

const isFlag = (arg: string) => /^-+[A-Za-z]/.test(arg)

const flagError = (flag: string, args: ReadonlyArray<string>, flagNames: ReadonlyArray<string>) => {
  const [name = flag] = flag.split("=")
  if (!flagNames.includes(name)) return new UsageError({ message: `Unknown option '${name}'` })
  const count = args.filter((arg) => arg === name || arg.startsWith(`${name}=`)).length
  return new UsageError({ message: `${name} ${count > 1 ? "is given more than once" : "lacks its value"}` })
}

const flagNamesIn = (usage: Usage.Usage): ReadonlyArray<string> => {
  switch (usage._tag) {
    case "Named":
      return usage.names
    case "Optional":
    case "Repeated":
      return flagNamesIn(usage.usage)
    case "Alternation":
    case "Concat":
      return [...flagNamesIn(usage.left), ...flagNamesIn(usage.right)]
    default:
      return []
  }
}

const toOneLine = ({ error }: ValidationError.ValidationError): string =>
  stripVTControlCharacters(HelpDoc.toAnsiText(error)).replace(/\s+/g, " ").trim()

const definedVariables = (env: Readonly<Record<string, string | undefined>>) =>
  new Map(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
