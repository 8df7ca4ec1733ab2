import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Simplify } from "effect/Types"
import type { Paged, Pages } from "../Pages.ts"
import type { PlainInput } from "./Input.ts"
import { type Plain, toPlain } from "./Plain.ts"
import type { CallOptions, Runner } from "./Runner.ts"

/**
 * A service with promises: an effect becomes a method that returns a promise, a stream one that returns an
 * async iterable. Each method takes the options of the service's method and those of the call as one last argument.
 */
export type Promisify<Service> = { readonly [K in keyof Service]: Method<Service[K]> }

// Every effect is a stream, too, so effects are recognised first.
type Method<Member> =
  Member extends Effect.Effect<infer A, infer _E, infer _R>
    ? (options?: CallOptions) => Promise<Plain<A>>
    : Member extends Stream.Stream<infer A, infer _E, infer _R>
      ? (options?: CallOptions) => AsyncIterable<Plain<A>>
      : Member extends (...args: infer Args) => Effect.Effect<infer A, infer _E, infer _R>
        ? (...args: Arguments<Args>) => Promise<Plain<A>>
        : Member extends (...args: infer Args) => Stream.Stream<infer A, infer _E, infer _R>
          ? (...args: Arguments<Args>) => AsyncIterable<Plain<A>>
          : never

type Arguments<Args extends ReadonlyArray<unknown>> = Args extends readonly [unknown]
  ? [...{ [I in keyof Args]: PlainInput<Args[I]> }, options?: CallOptions]
  : {
      [I in keyof Args]: {} extends Args[I]
        ? Simplify<PlainInput<NonNullable<Args[I]>> & CallOptions>
        : PlainInput<Args[I]>
    }

/** How the arguments of each method of a service are checked and converted. */
export type Methods<Service> = {
  readonly [K in keyof Service]: Service[K] extends (...args: infer Args) => infer Result
    ? Definition<Kind<Result>, Positional<Args>, Options<Args>>
    : Definition<Kind<Service[K]>, [], NoOptions>
}

interface Definition<K extends "call" | "iterate", Args extends ReadonlyArray<unknown>, Options> {
  readonly kind: K
  readonly args: { readonly [I in keyof Args]: (value: PlainInput<Args[I]>) => Args[I] }
  readonly options: (value: PlainInput<Options>) => Options
}

type Kind<Result> = Result extends Effect.Effect<infer _A, infer _E, infer _R> ? "call" : "iterate"

type Positional<Args extends ReadonlyArray<unknown>> = Args extends readonly [infer First, ...infer _] ? [First] : []

type Options<Args extends ReadonlyArray<unknown>> = Args extends readonly [unknown]
  ? NoOptions
  : NonNullable<[] extends Args ? Args[0] : Args[1]>

type NoOptions = Readonly<Record<never, never>>

/** A method that returns a promise. */
export const call = <const Args extends ReadonlyArray<unknown> = [], Options = NoOptionsParser>(
  args?: Args,
  options?: Options
) => define("call", args, options)

/** A method that returns an async iterable. */
export const iterate = <const Args extends ReadonlyArray<unknown> = [], Options = NoOptionsParser>(
  args?: Args,
  options?: Options
) => define("iterate", args, options)

type NoOptionsParser = (value: NoOptions) => NoOptions

const define = <K extends string, Args, Options>(kind: K, args: Args | undefined, options: Options | undefined) => ({
  kind,
  args: args ?? ([] as Args),
  options: options ?? ((() => ({})) as Options)
})

/** The methods of a service, run by `run` and `iterate`. A wrong argument fails before a request is sent. */
export const promisify = <Service extends object>(
  service: Paged<Service>,
  methods: Methods<Service>,
  { iterate, run }: Pick<Runner, "run" | "iterate">
): Promisify<Service> =>
  Object.fromEntries(
    Object.entries<UntypedMethod>(methods as Readonly<Record<string, UntypedMethod>>).map(([name, method]) => {
      const member = (service as Readonly<Record<string, unknown>>)[name]
      const optionsOf = (args: ReadonlyArray<unknown>): CallOptions => args[method.args.length] ?? {}
      const result = (args: ReadonlyArray<unknown>): unknown => {
        const parsed = [...method.args.map((parse, index) => parse(args[index])), method.options(optionsOf(args))]
        return typeof member === "function" ? member(...parsed) : member
      }
      return [
        name,
        method.kind === "call"
          ? async (...args: ReadonlyArray<unknown>) =>
              toPlain(await run(result(args) as Effect.Effect<unknown>, optionsOf(args)))
          : (...args: ReadonlyArray<unknown>) =>
              iterate(Effect.map(result(args) as Pages<unknown, unknown>, Effect.map(plainPage)), optionsOf(args))
      ]
    })
  ) as Promisify<Service>

const plainPage = (page: ReadonlyArray<unknown> | undefined) => page?.map(toPlain)

interface UntypedMethod {
  readonly kind: "call" | "iterate"
  readonly args: ReadonlyArray<(value: unknown) => unknown>
  readonly options: (value: unknown) => unknown
}
