import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as SqlClient from "@effect/sql/SqlClient"
import * as AuditLog from "@heddle/bot/store/AuditLog"
import * as Chats from "@heddle/bot/store/Chats"
import * as Database from "@heddle/bot/store/database/Database"
import * as GrantsToEnd from "@heddle/bot/store/account/GrantsToEnd"
import * as Inbox from "@heddle/bot/store/Inbox"
import * as Permissions from "@heddle/bot/store/Permissions"
import * as Posts from "@heddle/bot/store/Posts"
import * as Replies from "@heddle/bot/store/Replies"
import * as Requests from "@heddle/bot/store/Requests"
import * as Rules from "@heddle/bot/store/Rules"
import * as Shares from "@heddle/bot/store/Shares"
import * as Threads from "@heddle/bot/store/Threads"
import * as Turns from "@heddle/bot/store/Turns"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeDataFolder } from "./database/DataFolder.ts"
import { encryptionKey } from "./database/StoredGrant.ts"

const tables = Layer.mergeAll(
  Chats.layer,
  GrantsToEnd.layer,
  Inbox.layer,
  Permissions.layer,
  Posts.layer,
  Replies.layer,
  Requests.layer,
  Rules.layer,
  Shares.layer,
  Threads.layer,
  Turns.layer
).pipe(Layer.provideMerge(AuditLog.layer), Layer.provide(EncryptionKey.layer([encryptionKey])))

/** Runs with the tables of the bot in a database of its own. */
export const withRows = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Effect.tap(folder("heddle-rows-"), (dataDir) => Effect.promise(() => makeDataFolder(dataDir))),
    (dataDir) =>
      Effect.provide(
        test,
        Layer.provideMerge(
          tables,
          Layer.provide(Database.layer(dataDir), Layer.merge(NodeFileSystem.layer, NodePath.layer))
        )
      )
  )

/** Makes each new row of a table fail from now on. */
export const breakTable = (table: string, change: "INSERT" | "UPDATE" = "INSERT") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`CREATE TRIGGER broken BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, 'broken'); END`)
  )

/** A message of a thread. */
export const entry = (eventId: string, more: Partial<Inbox.InboxEntry> = {}) => ({
  eventId,
  threadId: "1",
  kind: "message" as const,
  authorId: "2",
  authorName: "Sam",
  content: eventId,
  attachments: [],
  first: false,
  late: false,
  receivedAt: 0,
  ...more
})

/** A thread of a task. */
export const thread = (threadId: string, more: Partial<Threads.Thread> = {}) => ({
  threadId,
  guildId: "g",
  channelId: "c",
  ownerId: "owner",
  taskId: `task-${threadId}`,
  name: threadId,
  lastSeenId: threadId,
  ...more
})
