import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { safeDecoder } from "./internal/SafeDecode.ts"
import * as Open from "./schema/Open.ts"

/** A notification of a vendor's own, decoded; `name` is its method without the prefix. */
export interface Event<Name extends string, Params> {
  readonly _tag: "Extension"
  readonly name: Name
  /** As it came, prefix included. */
  readonly method: string
  readonly params: Params
}

/** A schema of the params by name; fields that a schema does not name are kept. */
export type Schemas = Readonly<Record<string, Schema.Schema.AnyNoContext>>

/** The events that schemas describe. */
export type EventOf<S extends Schemas> = {
  readonly [Name in keyof S & string]: Event<Name, Schema.Schema.Type<S[Name]>>
}[keyof S & string]

/** Which extension notifications are understood. */
export interface Registry<E> {
  /** What their methods begin with, such as "_vendor.ai". */
  readonly prefix: string
  /** Reads a notification; undefined when it is not registered, or when its params are not what the schema says. */
  readonly read: (method: string, params: unknown) => E | undefined
}

/**
 * An artifact push (spec 6): the whole artifact, or its type and uri when `event` is "deleted". What cannot be read is
 * absent, so that even a broken push tells that something changed.
 */
export const Artifact = Schema.Struct({
  sessionId: Open.lenient(Schema.String),
  event: Open.lenient(Open.literals("created", "updated", "deleted")),
  artifact: Open.lenient(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

/** What is understood without further configuration. */
export type Standard = EventOf<{ readonly artifact: typeof Artifact }>

/**
 * Makes a registry. The prefix is "_vendor.ai" without one.
 *
 * An artifact push is recognised under any prefix, because services spell theirs differently.
 */
export const make = <const S extends Schemas>(
  schemas: S,
  options: { readonly prefix?: string } = {}
): Registry<EventOf<S>> => {
  const prefix = options.prefix ?? "_vendor.ai"
  const decoders = new Map(Object.entries(schemas).map(([name, schema]) => [name, safeDecoder(schema)]))
  return {
    prefix,
    read: (method, params) => {
      const [, before, name] = /^(_[^/]*)\/(.*)$/s.exec(method) ?? []
      if (name === undefined || (before !== prefix && name !== "artifact")) return undefined
      const decoded = decoders.get(name)?.(params)
      if (decoded === undefined || Option.isNone(decoded)) return undefined
      return { _tag: "Extension", name, method, params: decoded.value } as EventOf<S>
    }
  }
}

/** The registry that sessions have without one of their own. */
export const standard: Registry<Standard> = make({ artifact: Artifact })
