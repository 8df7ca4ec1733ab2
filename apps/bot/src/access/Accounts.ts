import type * as HttpClient from "@effect/platform/HttpClient"
import * as Assistant from "@heddle/core/Assistant"
import * as Credits from "@heddle/core/Credits"
import { OpenId } from "@heddle/core/domain/OpenId"
import type { Scope as GrantedScope } from "@heddle/core/domain/Scope"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Redemptions from "@heddle/core/Redemptions"
import * as Tasks from "@heddle/core/Tasks"
import * as Users from "@heddle/core/Users"
import { Grants } from "@heddle/oauth/Grants"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { BotSettings } from "../model/BotSettings.ts"
import * as AccountBoundWork from "./AccountBoundWork.ts"
import * as TaskReader from "./TaskReader.ts"

/** The service as one person sees it. */
export interface Service {
  readonly tasks: Context.Tag.Service<typeof Tasks.Tasks>
  readonly credits: Context.Tag.Service<typeof Credits.Credits>
  readonly users: Context.Tag.Service<typeof Users.Users>
  readonly redemptions: Context.Tag.Service<typeof Redemptions.Redemptions>
  readonly assistant: Context.Tag.Service<typeof Assistant.Assistant>
  readonly taskReader: TaskReader.TaskReader
}

/** The service accounts of Discord users. A user's grant is named after their Discord id. */
export class Accounts extends Context.Tag("@heddle/bot/Accounts")<
  Accounts,
  {
    readonly isConnected: (userId: string) => Effect.Effect<boolean>
    /** The scopes that the person's grant is known to lack. */
    readonly missingScopes: (
      userId: string,
      scopes: ReadonlyArray<GrantedScope>
    ) => Effect.Effect<ReadonlyArray<GrantedScope>>
    /** The `openId` of the connected account; undefined also when the service does not return one. */
    readonly openIdOf: (userId: string) => Effect.Effect<string | undefined>
    /** Whether the person is known to have connected a different account. */
    readonly isAnother: (userId: string, openId: string | undefined) => Effect.Effect<boolean>
    /**
     * Runs an effect as this person. Fails with `Reauthorize` when they have to connect (again). With an `openId`, also
     * fails when another account is connected; the request is then not sent.
     */
    readonly use: <A, E, R>(
      userId: string,
      f: (service: Service) => Effect.Effect<A, E, R>,
      openId?: string
    ) => Effect.Effect<A, E, R>
    /** Wakes everything that waits until this person connects. */
    readonly wakeWaiters: (userId: string) => Effect.Effect<void>
    /** Waits until this person has connected. */
    readonly awaitConnected: (userId: string) => Effect.Effect<void>
    /** Waits for the next time this person connects or grants more. */
    readonly awaitNextConnection: (userId: string) => Effect.Effect<void>
    /** Whether the person has no account here: they disconnected it or never connected one. */
    readonly hasNoAccount: (userId: string) => Effect.Effect<boolean>
    /** Calls a function when this person connects or grants more, until the scope ends. */
    readonly onConnection: (userId: string, onConnection: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** Notes work that ends with the person's account, see `AccountBoundWork.begin`. */
    readonly beginWork: AccountBoundWork.AccountBoundWork["begin"]
    /** Ends all work on the person's previous account. */
    readonly endWork: AccountBoundWork.AccountBoundWork["end"]
  }
>() {}

export const layer: Layer.Layer<Accounts, never, Grants | HttpClient.HttpClient | BotSettings> = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const grants = yield* Grants
    const { baseUrl, idempotencyKeys } = yield* BotSettings
    // The address was checked at the start.
    const clientOf = yield* Effect.orDie(
      OpenApiClient.makeForUsers({ baseUrl, idempotencyKeys, userAgent: "heddle-bot" })
    )
    const services = new Map<string, Service>()
    const work = AccountBoundWork.make()
    const waiting = new Map<string, Deferred.Deferred<void>>()
    const listeners = new Map<string, Set<() => void>>()

    const serviceOf = Effect.fnUntraced(function* (userId: string, openId: string | undefined) {
      const name = `${userId} ${openId ?? ""}`
      const cached = services.get(name)
      if (cached !== undefined) return cached
      const token = grants.accessToken(userId, openId === undefined ? undefined : OpenId.make(openId))
      const created = yield* makeService(clientOf(token))
      const service = services.get(name) ?? created
      services.set(name, service)
      return service
    })

    const isConnected = (userId: string) =>
      Effect.map(
        grants.describe(userId),
        Option.exists(({ dead }) => Option.isNone(dead))
      )

    const connection = Effect.fnUntraced(function* (userId: string) {
      const cached = waiting.get(userId)
      if (cached !== undefined) return yield* Deferred.await(cached)
      const waiter = yield* Deferred.make<void>()
      waiting.set(userId, waiter)
      yield* Deferred.await(waiter)
    })

    // Another process may have handled the callback, so poll the grant as well.
    const awaitGrant = (userId: string) =>
      Effect.sleep("10 seconds").pipe(
        Effect.zipRight(isConnected(userId)),
        Effect.repeat({ until: (isAlive) => isAlive })
      )

    return Accounts.of({
      isConnected,
      missingScopes: (userId, scopes) =>
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
      wakeWaiters: (userId) =>
        Effect.suspend(() => {
          for (const onConnection of listeners.get(userId) ?? []) onConnection()
          const waiter = waiting.get(userId)
          waiting.delete(userId)
          return waiter === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(waiter, undefined))
        }),
      awaitConnected: (userId) => Effect.raceFirst(connection(userId), Effect.asVoid(awaitGrant(userId))),
      awaitNextConnection: connection,
      hasNoAccount: (userId) => Effect.map(grants.describe(userId), Option.isNone),
      onConnection: (userId, onConnection) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            listeners.set(userId, (listeners.get(userId) ?? new Set()).add(onConnection))
          }),
          () =>
            Effect.sync(() => {
              const others = listeners.get(userId)
              others?.delete(onConnection)
              if (others?.size === 0) listeners.delete(userId)
            })
        ),
      beginWork: work.begin,
      endWork: (userId) => Effect.interruptible(Effect.withSpan(work.end(userId), "Accounts.endWork"))
    })
  })
)

/** The capability services of one person's client. */
const makeService = (client: Context.Tag.Service<typeof OpenApiClient.OpenApiClient>): Effect.Effect<Service> =>
  Layer.mergeAll(Tasks.layer, Credits.layer, Users.layer, Redemptions.layer, Assistant.layer).pipe(
    Layer.provide(Layer.succeed(OpenApiClient.OpenApiClient, client)),
    // These services have no finalizers, and a kept scope takes several times their memory.
    Layer.build,
    Effect.scoped,
    Effect.map((context) => ({
      tasks: Context.get(context, Tasks.Tasks),
      credits: Context.get(context, Credits.Credits),
      users: Context.get(context, Users.Users),
      redemptions: Context.get(context, Redemptions.Redemptions),
      assistant: Context.get(context, Assistant.Assistant),
      taskReader: TaskReader.make(Context.get(context, Tasks.Tasks))
    }))
  )
