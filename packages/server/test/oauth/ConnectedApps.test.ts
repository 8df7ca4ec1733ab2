import { assert, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import { Applications } from "@heddle/server/oauth/Applications"
import { Audit } from "@heddle/server/audit/Audit"
import { ConnectedApps } from "@heddle/server/oauth/ConnectedApps"
import { Consents } from "@heddle/server/oauth/Consents"
import { Devices } from "@heddle/server/oauth/Devices"
import { Grants, type Authorization } from "@heddle/server/oauth/Grants"
import { Tickets } from "@heddle/server/tasks/Tickets"
import { TaskId } from "@heddle/core/domain/Task"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { withRules } from "../support/Rules.ts"
import { redirectUri } from "../support/TestServer.ts"

const scopes = new Set(["user.task.readable", "user.credit.readable"])
const day = 86_400_000

const register = (name: string) =>
  Effect.flatMap(Applications, (applications) => applications.create({ name, redirectUris: [redirectUri] })).pipe(
    Effect.map(({ clientId }) => clientId)
  )

describe("ConnectedApps", () => {
  it.scoped("lists connected applications with their scopes, first and last use", () =>
    withRules({}, (_, loom) =>
      Effect.gen(function* () {
        const apps = yield* ConnectedApps
        const grants = yield* Grants
        assert.deepStrictEqual(yield* apps.list("ada"), [])

        const [remembered, asked, out] = [yield* register("Été"), yield* register("asked"), yield* register("zeta")]
        yield* TestClock.adjust("10 days")
        const { refreshToken } = yield* grants.issue({ clientId: loom, userId: "ada", scopes })
        yield* TestClock.adjust("2 days")
        yield* grants.issue({ clientId: loom, userId: "ada", scopes: new Set(["user.profile.readable"]) })
        yield* grants.issue({ clientId: out, userId: "ada", scopes })
        yield* (yield* Applications).disable(out)
        yield* (yield* Consents).remember({ userId: "ada", clientId: remembered, scopes })
        const code = { userId: "ada", clientId: asked, scopes, redirectUri, codeChallenge: undefined }
        yield* grants.authorize(code)
        yield* TestClock.adjust("1 minute")
        if (refreshToken === undefined) return yield* Effect.dieMessage("no refresh token")
        yield* grants.refresh({ clientId: loom, refreshToken, scope: undefined })

        const list = yield* apps.list("ada")
        assert.deepStrictEqual(
          list.map(({ active, clientId, lastUsed, name, scopes, since }) => [
            clientId,
            name,
            active,
            [...scopes].sort().join(" "),
            since === undefined ? undefined : since / day,
            lastUsed === undefined ? undefined : lastUsed / day
          ]),
          [
            [asked, "asked", true, "user.credit.readable user.task.readable", 12, undefined],
            [remembered, "Été", true, "user.credit.readable user.task.readable", undefined, undefined],
            [loom, "Loom", true, "user.credit.readable user.profile.readable user.task.readable", 10, 12 + 1 / 1440],
            [out, "zeta", false, "user.credit.readable user.task.readable", 12, 12]
          ]
        )
        yield* TestClock.adjust("11 minutes")
        assert.notInclude(
          (yield* apps.list("ada")).map(({ clientId }) => clientId),
          asked,
          "a code that was never fetched has expired"
        )
        yield* TestClock.adjust("91 days")
        assert.deepStrictEqual(yield* apps.list("ada"), [], "nothing lives for 90 days without use")
      })
    )
  )

  it.scoped("the last use is that of the user, not of another one", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const grants = yield* Grants
        yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at) VALUES ('bea', 'bea', 'Bea', '', 0)`
        for (const userId of ["ada", "bea"]) {
          yield* TestClock.adjust("1 minute")
          yield* grants.issue({ clientId, userId, scopes })
        }
        const lastUsed = (userId: string) =>
          Effect.flatMap(ConnectedApps, (apps) => Effect.map(apps.list(userId), ([app]) => app?.lastUsed))
        assert.deepStrictEqual([yield* lastUsed("ada"), yield* lastUsed("bea")], [60_000, 120_000])
      })
    )
  )

  it.scoped("revokes all grants of one user and application at once, and no others", () =>
    withRules({ contract: { refreshTokenOnRefresh: "rotate" } }, (_, loom) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at) VALUES ('bea', 'bea', 'Bea', '', 0)`
        const apps = yield* ConnectedApps
        const grants = yield* Grants
        const devices = yield* Devices
        const tickets = yield* Tickets
        const other = yield* register("Other")
        const mine = { userId: "ada", clientId: loom, scopes }
        const given = yield* grants.issue(mine)
        const refreshToken = given.refreshToken ?? (yield* Effect.dieMessage("no refresh token"))
        const rotated = yield* grants.refresh({ clientId: loom, refreshToken, scope: undefined })
        const code = yield* grants.authorize({ ...mine, redirectUri, codeChallenge: undefined })
        const device = yield* devices.start({ clientId: loom, scopes })
        yield* devices.decide({ userCode: device.userCode, userId: "ada", allow: true })
        const question = { userId: "ada", clientId: loom, scopes }
        yield* (yield* Consents).remember(question)
        const task = (taskId: string, owner: Authorization) =>
          sql`INSERT INTO tasks (task_id, client_id, user_id, name, status, created_at, updated_at)
            VALUES (${taskId}, ${owner.clientId}, ${owner.userId}, 'x', 'idle', 0, 0)`.pipe(
            Effect.zipRight(grants.issue(owner)),
            Effect.flatMap(({ accessToken }) => grants.verify(accessToken)),
            Effect.flatMap(({ grantId }) => tickets.issue({ taskId: TaskId.make(taskId), grantId, mayInvoke: true }))
          )
        const ticket = yield* task("t1", mine)
        const elsewhere = yield* task("t2", { ...mine, clientId: other })
        const bystanders = [
          yield* grants.issue({ ...mine, clientId: other }),
          yield* grants.issue({ ...mine, userId: "bea" })
        ]

        assert.isTrue(yield* apps.disconnect(mine))
        const no = <A, E>(call: Effect.Effect<A, E>) => Effect.map(Effect.either(call), ({ _tag }) => _tag === "Left")
        assert.isTrue(yield* no(grants.verify(given.accessToken)), "access token")
        assert.isTrue(yield* no(grants.verify(rotated.accessToken)), "access token of a refresh")
        for (const token of [refreshToken, rotated.refreshToken ?? refreshToken]) {
          assert.isTrue(yield* no(grants.refresh({ clientId: loom, refreshToken: token, scope: undefined })), "refresh")
        }
        const exchange = grants.exchange({ clientId: loom, code, redirectUri, codeVerifier: undefined })
        assert.isTrue(yield* no(exchange), "code")
        assert.isTrue(yield* no(devices.poll({ clientId: loom, deviceCode: device.deviceCode })), "device")
        assert.isTrue(yield* no(tickets.verify(ticket.token)), "ticket")
        assert.isFalse(yield* (yield* Consents).hasConsented(question), "remembered consent")

        for (const { accessToken } of bystanders) assert.isFalse(yield* no(grants.verify(accessToken)))
        assert.isFalse(yield* no(tickets.verify(elsewhere.token)))
        assert.deepStrictEqual(
          (yield* apps.list("ada")).map(({ name }) => name),
          ["Other"]
        )

        assert.isFalse(yield* apps.disconnect(mine), "a second time there is nothing")
        assert.isFalse(yield* apps.disconnect({ userId: "ada", clientId: "nobody" }))
        const events = yield* Stream.runCollect((yield* Audit).list({ userId: "ada", clientId: loom }))
        assert.strictEqual(Chunk.toReadonlyArray(events).filter(({ action }) => action === "revoked").length, 1)
      })
    )
  )
})
