import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { safeDecoder } from "./internal/SafeDecode.ts"
import * as Open from "./schema/Open.ts"

/** A decoded notification of a vendor; `name` is its method without the prefix. */
export interface Event<Name extends string, Params> {
  readonly _tag: "Extension"
  readonly name: Name
  /** The method with its prefix. */
  readonly method: string
  readonly params: Params
}

/** The schema of the params by name; unknown fields are kept. */
export type Schemas = Readonly<Record<string, Schema.Schema.AnyNoContext>>

/** The events that schemas describe. */
export type EventOf<S extends Schemas> = {
  readonly [Name in keyof S & string]: Event<Name, Schema.Schema.Type<S[Name]>>
}[keyof S & string]

/** The extension notifications that are decoded. */
export interface Registry<E> {
  /** The beginning of their methods, such as "_vendor.ai". */
  readonly prefix: string
  /** Decodes a notification; undefined if it is not registered or its params do not fit the schema. */
  readonly read: (method: string, params: unknown) => E | undefined
}

/**
 * An artifact push (contract 6): the whole artifact, or its type and uri if `event` is "deleted". A field that cannot
 * be read is absent, so even a broken push shows that something changed.
 */
export const Artifact = Schema.Struct({
  sessionId: Open.lenient(Schema.String),
  event: Open.lenient(Open.literals("created", "updated", "deleted")),
  artifact: Open.lenient(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

/** The events of the default registry. */
export type Standard = EventOf<{ readonly artifact: typeof Artifact }>

/**
 * Makes a registry. The default prefix is "_vendor.ai". An artifact push is recognised under any prefix, because services
 * spell theirs differently.
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
      // Most notifications are updates.
      if (!method.startsWith("_")) return undefined
      const [, before, name] = /^(_[^/]*)\/(.*)$/s.exec(method) ?? []
      if (name === undefined || (before !== prefix && name !== "artifact")) return undefined
      const decoded = decoders.get(name)?.(params)
      if (decoded === undefined || Option.isNone(decoded)) return undefined
      return { _tag: "Extension", name, method, params: decoded.value } as EventOf<S>
    }
  }
}

/** The default registry of a session. */
export const standard: Registry<Standard> = make({ artifact: Artifact })
