import type * as HttpClient from "@effect/platform/HttpClient"
import * as Assistant from "@heddle/core/Assistant"
import * as Credits from "@heddle/core/Credits"
import { OpenId } from "@heddle/core/domain/OpenId"
import type { Scope } from "@heddle/core/domain/Scope"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Redemptions from "@heddle/core/Redemptions"
import * as Tasks from "@heddle/core/Tasks"
import * as Users from "@heddle/core/Users"
import { Grants } from "@heddle/oauth/Grants"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { BotSettings } from "../model/BotSettings.ts"
import * as Interruptible from "../concurrency/Interruptible.ts"

/** The service as one person sees it. */
export interface Service {
  readonly tasks: Context.Tag.Service<typeof Tasks.Tasks>
  readonly credits: Context.Tag.Service<typeof Credits.Credits>
  readonly users: Context.Tag.Service<typeof Users.Users>
  readonly redemptions: Context.Tag.Service<typeof Redemptions.Redemptions>
  readonly assistant: Context.Tag.Service<typeof Assistant.Assistant>
}

/** The service accounts of the people in Discord; a person's grant has their Discord id as its name. */
export class Accounts extends Context.Tag("@heddle/bot/Accounts")<
  Accounts,
  {
    readonly isConnected: (userId: string) => Effect.Effect<boolean>
    /** Which of these scopes the person's grant is known not to have. */
    readonly lacks: (userId: string, scopes: ReadonlyArray<Scope>) => Effect.Effect<ReadonlyArray<Scope>>
    /** The account that the person has connected, as the service calls it; undefined where it does not tell, too. */
    readonly openIdOf: (userId: string) => Effect.Effect<string | undefined>
    /** Whether the person is known to have connected another account than this one. */
    readonly isAnother: (userId: string, openId: string | undefined) => Effect.Effect<boolean>
    /**
     * Does something as this person; fails with `Reauthorize` when they have to connect (again). With an `openId`,
     * also when they have connected another account meanwhile: then nothing was sent.
     */
    readonly use: <A, E, R>(
      userId: string,
      f: (service: Service) => Effect.Effect<A, E, R>,
      openId?: string
    ) => Effect.Effect<A, E, R>
    /** Tells everything that waits for this person that they have connected. */
    readonly connected: (userId: string) => Effect.Effect<void>
    /** Waits until this person has connected. */
    readonly awaitConnected: (userId: string) => Effect.Effect<void>
    /** Waits until this person connects, or allows more, once again. */
    readonly awaitNextConnection: (userId: string) => Effect.Effect<void>
    /** Whether nothing is known of an account of this person: they have disconnected it, or never connected one. */
    readonly hasNone: (userId: string) => Effect.Effect<boolean>
    /**
     * Does something for as long as the account that the person has connected is the same: once it is {@link ended}, this
     * is interrupted and fails, after `last` has ended what goes on elsewhere, which says whether it could.
     */
    readonly whileConnected: <A, E, R, R2>(
      userId: string,
      use: Effect.Effect<A, E, R>,
      last: Effect.Effect<boolean, never, R2>
    ) => Effect.Effect<A, E | AccountEnded, R | R2>
    /** Ends all that runs on the account that a person had until now, which has a moment to come to rest. */
    readonly ended: (userId: string) => Effect.Effect<Ended>
  }
>() {}

/** The account was disconnected or replaced by its person while something ran on it. */
export class AccountEnded extends Data.TaggedError("AccountEnded") {}

/** How many things that ran on an account could be ended elsewhere, too, and how many may go on there. */
export interface Ended {
  readonly stopped: number
  readonly left: number
}

/** Something that runs on an account. */
interface Running {
  /** Cuts it, once it has begun. */
  cut: (() => void) | undefined
  /** The account is ended. */
  isOver: boolean
  /** Whether it could be ended elsewhere, too; undefined when it came to its own end. */
  readonly rests: Deferred.Deferred<boolean | undefined>
}

export const layer: Layer.Layer<Accounts, never, Grants | HttpClient.HttpClient | BotSettings> = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const grants = yield* Grants
    const { baseUrl } = yield* BotSettings
    // The address was checked at the start.
    const clientOf = yield* Effect.orDie(OpenApiClient.makeForUsers({ baseUrl, userAgent: "heddle-bot" }))
    const services = new Map<string, Service>()
    const waiting = new Map<string, Deferred.Deferred<void>>()

    const serviceOf = Effect.fnUntraced(function* (userId: string, openId: string | undefined) {
      const name = `${userId} ${openId ?? ""}`
      const known = services.get(name)
      if (known !== undefined) return known
      const context = yield* Layer.mergeAll(
        Tasks.layer,
        Credits.layer,
        Users.layer,
        Redemptions.layer,
        Assistant.layer
      ).pipe(
        Layer.provide(
          Layer.succeed(
            OpenApiClient.OpenApiClient,
            clientOf(grants.accessToken(userId, openId === undefined ? undefined : OpenId.make(openId)))
          )
        ),
        // None of them has an end, and what building leaves behind is several times what they are.
        Layer.build,
        Effect.scoped
      )
      const service = services.get(name) ?? {
        tasks: Context.get(context, Tasks.Tasks),
        credits: Context.get(context, Credits.Credits),
        users: Context.get(context, Users.Users),
        redemptions: Context.get(context, Redemptions.Redemptions),
        assistant: Context.get(context, Assistant.Assistant)
      }
      services.set(name, service)
      return service
    })

    const isConnected = (userId: string) =>
      Effect.map(
        grants.describe(userId),
        Option.exists(({ dead }) => Option.isNone(dead))
      )

    const connection = Effect.fnUntraced(function* (userId: string) {
      const known = waiting.get(userId)
      if (known !== undefined) return yield* Deferred.await(known)
      const fresh = yield* Deferred.make<void>()
      waiting.set(userId, fresh)
      yield* Deferred.await(fresh)
    })

    // Another process may have taken the callback, so the grant is looked at from time to time, too.
    const revived = (userId: string) =>
      Effect.sleep("10 seconds").pipe(Effect.zipRight(isConnected(userId)), Effect.repeat({ until: (alive) => alive }))

    const running = new Map<string, Set<Running>>()
    const begin = (userId: string) =>
      Effect.map(Deferred.make<boolean | undefined>(), (rests): Running => {
        const each: Running = { cut: undefined, isOver: false, rests }
        running.set(userId, (running.get(userId) ?? new Set()).add(each))
        return each
      })
    const rest = (userId: string, each: Running) =>
      Effect.suspend(() => {
        const others = running.get(userId)
        others?.delete(each)
        if (others?.size === 0) running.delete(userId)
        return Deferred.succeed(each.rests, undefined)
      })

    return Accounts.of({
      isConnected,
      lacks: (userId, scopes) =>
        Effect.map(grants.describe(userId), (grant) => {
          const granted = Option.getOrUndefined(grant)?.scopes
          return granted === undefined ? [] : scopes.filter((scope) => !granted.has(scope))
        }),
      openIdOf: (userId) =>
        Effect.map(grants.describe(userId), (grant) =>
          Option.isSome(grant) && Option.isNone(grant.value.dead) ? grant.value.openId : undefined
        ),
      isAnother: (userId, openId) =>
        Effect.map(
          grants.describe(userId),
          Option.exists((grant) => openId !== undefined && grant.openId !== undefined && grant.openId !== openId)
        ),
      use: (userId, f, openId) => Effect.flatMap(serviceOf(userId, openId), f),
      connected: (userId) =>
        Effect.suspend(() => {
          const waiter = waiting.get(userId)
          waiting.delete(userId)
          return waiter === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(waiter, undefined))
        }),
      awaitConnected: (userId) => Effect.raceFirst(connection(userId), Effect.asVoid(revived(userId))),
      awaitNextConnection: connection,
      hasNone: (userId) => Effect.map(grants.describe(userId), Option.isNone),
      whileConnected: (userId, use, last) =>
        Effect.acquireUseRelease(
          begin(userId),
          (each) =>
            Interruptible.make(use, (cut) => {
              each.cut = cut
              if (each.isOver) cut()
            }).pipe(
              Effect.flatMap(Option.match({ onNone: () => new AccountEnded(), onSome: Effect.succeed })),
              Effect.tapErrorTag("AccountEnded", () =>
                Effect.flatMap(last, (stopped) => Deferred.succeed(each.rests, stopped))
              )
            ),
          (each) => rest(userId, each)
        ),
      ended: Effect.fn("Accounts.ended")(function* (userId) {
        const all = [...(running.get(userId) ?? [])]
        for (const each of all) {
          each.isOver = true
          each.cut?.()
        }
        const rested = yield* Effect.forEach(
          all,
          ({ rests }) =>
            Effect.timeoutTo(Deferred.await(rests), {
              duration: moment,
              onSuccess: (it) => it,
              onTimeout: () => false
            }),
          { concurrency: "unbounded" }
        )
        return { stopped: rested.filter((it) => it === true).length, left: rested.filter((it) => it === false).length }
      }, Effect.interruptible)
    })
  })
)

/** How long what runs on an account has when that has ended. */
const moment = "4 seconds"
