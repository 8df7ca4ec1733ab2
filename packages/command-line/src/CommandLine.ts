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

/** A command line as read: a request for help or the version, or the options with the operands beside them. */
export type CommandLine<A> =
  | { readonly _tag: "Help" | "Version" }
  | { readonly _tag: "Values"; readonly options: A; readonly operands: ReadonlyArray<string> }

/**
 * Reads the arguments of a program, without its own name, and the environment. It runs synchronously. Fails with
 * `UsageError` on an unknown flag, a flag without its value, or a flag that is given twice.
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
    if (flag !== undefined) return yield* misused(flag, args, namesIn(Options.getUsage(options)))
    return { _tag: "Values", options: directive.value.options, operands } as const
  }).pipe(
    Effect.mapError((error) => (error._tag === "UsageError" ? error : new UsageError({ message: lineOf(error) }))),
    Effect.withConfigProvider(ConfigProvider.fromMap(variables(env))),
    Effect.provide(unused)
  )

const program = "program"

/** What a prompt would use; no option here has one. */
const unused = Layer.mergeAll(
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

const misused = (flag: string, args: ReadonlyArray<string>, known: ReadonlyArray<string>) => {
  const [name = flag] = flag.split("=")
  if (!known.includes(name)) return new UsageError({ message: `Unknown option '${name}'` })
  const given = args.filter((arg) => arg === name || arg.startsWith(`${name}=`)).length
  return new UsageError({ message: `${name} ${given > 1 ? "is given more than once" : "lacks its value"}` })
}

const namesIn = (usage: Usage.Usage): ReadonlyArray<string> => {
  switch (usage._tag) {
    case "Named":
      return usage.names
    case "Optional":
    case "Repeated":
      return namesIn(usage.usage)
    case "Alternation":
    case "Concat":
      return [...namesIn(usage.left), ...namesIn(usage.right)]
    default:
      return []
  }
}

const lineOf = ({ error }: ValidationError.ValidationError): string =>
  stripVTControlCharacters(HelpDoc.toAnsiText(error)).replace(/\s+/g, " ").trim()

const variables = (env: Readonly<Record<string, string | undefined>>) =>
  new Map(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
