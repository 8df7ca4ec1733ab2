const bot = (path) => `apps/bot/src/${path}`
const test = (path) => `apps/bot/test/${path}`
const outbox = [test("outbox/PostCalls.test.ts"), test("outbox/NextCall.test.ts")]

export const places = [
  {
    file: bot("concurrency/Mutex.ts"),
    tests: [test("concurrency/Mutex.test.ts")],
    faults: [
      {
        name: "of the messages that wait, the newest goes first",
        find: "queue[0]?.unsafeOpen()",
        replace: "queue.at(-1)?.unsafeOpen()"
      }
    ]
  },
  {
    file: bot("turn/session/Approvals.ts"),
    tests: [test("Cards.test.ts")],
    faults: [
      {
        name: "a request whose timer fires early is refused too late",
        find: "const forget = Effect.sync(() => scheduled.delete(deadline))",
        replace: "const forget = Effect.void"
      }
    ]
  },
  {
    file: bot("concurrency/Trigger.ts"),
    tests: [test("concurrency/Trigger.test.ts")],
    faults: [
      {
        name: "the work of a turn begins again after the turn",
        find: "      if (hasEnded) return\n",
        replace: ""
      },
      {
        name: "what is due while work runs is forgotten",
        find: "return Effect.zipRight(logged, run)",
        replace: "return Effect.zipLeft(logged, Effect.sync(() => (fiber = undefined)))"
      },
      {
        name: "work of a turn whose awaited fiber was interrupted never runs again",
        find: "hasEnded && Cause.isInterruptedOnly(cause)",
        replace: "Cause.isInterruptedOnly(cause)"
      },
      {
        name: "work of a turn that ends the turn runs once more",
        find: "      isDue = false\n      return fiber ===",
        replace: "      return fiber ==="
      }
    ]
  },
  {
    file: bot("access/AccountBoundWork.ts"),
    tests: [test("access/AccountBoundWork.test.ts")],
    faults: [
      {
        name: "work that ends by itself holds up a disconnection",
        find: "              finish(undefined)\n",
        replace: ""
      }
    ]
  },
  {
    file: bot("turn/session/ThreadChannel.ts"),
    tests: [test("turn/session/ThreadChannel.test.ts")],
    faults: [
      {
        name: "the end of an earlier channel hides the current one",
        find: "if (holder.current === channel) holder.current = undefined\n    return",
        replace: "holder.current = undefined\n    return"
      }
    ]
  },
  {
    file: bot("turn/session/Channel.ts"),
    tests: [test("plain/Refused.test.ts")],
    faults: [
      {
        name: "a ticket's error hides what the service said of the task",
        find: 'error._tag === "TicketError" && isChannelError(error.cause) ? error.cause : error',
        replace: "error"
      }
    ]
  },
  {
    file: bot("outbox/PostCalls.ts"),
    tests: outbox,
    faults: [
      {
        name: "a message is created before its row",
        find: "  yield* store(self, { key: post.key, messageId: replacedId, hash, files })\n",
        replace: ""
      },
      {
        name: "every creation has a nonce of its own",
        find: "const nonce = nonceOf(\n",
        replace: "const nonce = String(Math.random()) + nonceOf(\n"
      },
      {
        name: "all posts of a turn have one nonce",
        find: "replacedId === undefined ? post.key : `",
        replace: 'replacedId === undefined ? "" : `'
      },
      {
        name: "a message that replaces another has the nonce of the first",
        find: "`${post.key} instead of ${replacedId}`",
        replace: "post.key"
      },
      {
        name: "a message from before a crash counts as right",
        find: "hash: mayExist ? unknownContent : hashOf(post), files })",
        replace: "hash: hashOf(post), files })"
      },
      {
        name: "a refused post counts as begun",
        find: "stored.messageId === undefined && parseRefusal(stored.hash) === undefined)",
        replace: "stored.messageId === undefined)"
      },
      {
        name: "a replaced message is forgotten",
        find: "Effect.zipRight(store(self, replaced(replacedId)), storeCreated)",
        replace: "storeCreated"
      },
      {
        name: "a replaced message is forgotten by a crash in between",
        find: "Effect.zipRight(store(self, replaced(replacedId)), storeCreated)",
        replace: "Effect.zipRight(storeCreated, store(self, replaced(replacedId)))"
      },
      {
        name: "the row of an open request stays while its message changes",
        find: "if (requestIdOf(post.key) !== undefined) yield* store(self, { ...posted, hash: unknownContent })",
        replace: ""
      },
      {
        name: "a message that a person deleted cannot be removed",
        find: "({ code }) => code === unknownMessage",
        replace: "({ code }) => code !== unknownMessage"
      },
      { name: "an edit is never stored", find: "  self.unsaved.add(post.key)\n", replace: "" },
      {
        name: "no message is a reply",
        find: "...(replyToId === undefined ? {} : { replyTo: replyToId })",
        replace: ""
      },
      { name: "a removed post stays known", find: "() => void self.existing.delete(key)", replace: "() => undefined" }
    ]
  },
  {
    file: bot("outbox/OutboxState.ts"),
    tests: outbox,
    faults: [
      {
        name: "cards belong to their turn",
        find: "  isArtifactCard(key) ? artifactCardsOf(threadId) : turnId",
        replace: "  isArtifactCard(key) ? turnId : turnId"
      }
    ]
  },
  {
    file: bot("outbox/NextCall.ts"),
    tests: outbox,
    faults: [
      {
        name: "replaced messages stay",
        find: "if (replacedPost !== undefined) return",
        replace: "if (replacedPost === null) return"
      },
      {
        name: "a post is created before the one above it is right",
        find: "const first = isFlushing ? change : isHurried ? undefined : above",
        replace: "const first = isFlushing ? change : undefined"
      },
      {
        name: "a flush creates posts out of order",
        find: "const first = isFlushing ? change : isHurried",
        replace: "const first = isHurried"
      },
      {
        name: "of two outdated posts the last is edited",
        find: "rank < change.rank",
        replace: "rank <= change.rank"
      },
      {
        name: "a request waits for the text above it",
        find: "if (isUrgent(post, threadState)) return 0\n",
        replace: ""
      },
      {
        name: "a post that grows keeps those below it back",
        find: "isBelowLast ? 1 : 2",
        replace: "2"
      },
      {
        name: "the end shows before a card below it is there",
        find: "return !isRefused && posts.some(",
        replace: "return isRefused && posts.some("
      },
      {
        name: "a rejected post is sent again without its end",
        find: "return !isRefused && posts.some(",
        replace: "return posts.some("
      },
      {
        name: "an end in a rejected post is lost",
        find: "post.end === undefined || !isEndHidden || wasShown ? [] : [post.end]",
        replace: "[]"
      },
      {
        name: "old messages are edited",
        find: "if (isTooOld(posted.messageId) || ",
        replace: "if ((isTooOld(posted.messageId) && isFlushing) || "
      },
      {
        name: "a message that a person deleted comes back",
        find: "hash === settled || hash === Post.hashOf(post)",
        replace: "hash === Post.hashOf(post)"
      },
      {
        name: "refused content is tried again and again",
        find: " || parseRefusal(hash)?.rejectedHash === Post.hashOf(post)",
        replace: ""
      },
      {
        name: "others follow a message that may exist before a search for it",
        find: "if (search !== undefined) return",
        replace: "if (search === null) return"
      },
      {
        name: "a creation is repeated after Discord forgot its nonce",
        find: '(keys.has(key) ? lostCreation(key) === "Forgotten" : isOutdated(key))',
        replace: "(!keys.has(key) && isOutdated(key))"
      },
      {
        name: "every undesired post is deleted",
        find: " && hash !== settled && isOutdated(key))",
        replace: " && hash !== settled)"
      }
    ]
  },
  {
    file: bot("store/Posts.ts"),
    tests: outbox,
    faults: [
      {
        name: "a creation knows the content of its last try alone",
        find: 'isBegun(before) ? before : "creating"',
        replace: '"creating"'
      }
    ]
  },
  {
    file: bot("discord/FailsAlone.ts"),
    tests: outbox,
    faults: [
      {
        name: "a post is given up where an outage ends between two calls",
        find: "passes && memory.othersPassed",
        replace: "passes"
      }
    ]
  },
  {
    file: bot("outbox/Outbox.ts"),
    tests: [test("turn/Queue.test.ts")],
    faults: [
      {
        name: "there is no search for a message whose creation failed",
        find: "      ? searchOnce(self, neededCall)\n",
        replace: "      ? Effect.sync(() => void self.existing.delete(neededCall.posted.key))\n"
      }
    ]
  },
  {
    file: bot("turn/session/Projection.ts"),
    tests: [test("turn/Projection.test.ts")],
    faults: [
      {
        name: "a step that is asked about again gets another post until its request has a row",
        find: "openCallIds.has(entry.toolCallId) || posted",
        replace: "posted"
      },
      {
        name: "a new step gets another post with its request",
        find: " || posted?.has(`tools:${id}`) !== true",
        replace: ""
      }
    ]
  },
  {
    file: bot("turn/session/ItemIds.ts"),
    tests: [test("turn/Projection.test.ts"), test("plain/ShownWords.test.ts")],
    faults: [
      {
        name: "words below a repeated question get ids that the next replay does not have",
        find: 'hasWords(posted) ? idPrefix : ""',
        replace: "idPrefix"
      },
      {
        name: "the end of the turn before takes the id of the first words",
        find: "isBefore ? `@${said}` : unique",
        replace: "unique"
      }
    ]
  },
  {
    file: bot("store/Threads.ts"),
    tests: [test("store/Threads.test.ts")],
    faults: [
      {
        name: "the end of a thread is not one transaction",
        find: "      sql\n        .withTransaction(\n          Effect.zipRight(\n            sql`UPDATE threads SET closed_at = ${now}",
        replace:
          "      ((each) => each)(\n          Effect.zipRight(\n            sql`UPDATE threads SET closed_at = ${now}"
      },
      {
        name: "all waiting messages are closed with one thread",
        find: "WHERE thread_id = ${threadId} AND state = 'queued'`",
        replace: "WHERE ${threadId} <> '' AND state = 'queued'`"
      },
      {
        name: "messages at work are closed with their thread",
        find: "WHERE thread_id = ${threadId} AND state = 'queued'`",
        replace: "WHERE thread_id = ${threadId}`"
      },
      {
        name: "the first message of a task is not cut",
        find: "WHEN first = 1 THEN 'cut' ELSE 'closed' END\n",
        replace: "ELSE 'closed' END\n"
      },
      {
        name: "an older message moves the position back",
        find: "AND last_seen_id < ${messageId}))`.pipe",
        replace: "AND last_seen_id <> ${messageId}))`.pipe"
      },
      {
        name: "a closed thread goes on reading",
        find: "WHERE thread_id = ${threadId} AND closed_at IS NULL AND (\n",
        replace: "WHERE thread_id = ${threadId} AND (\n"
      },
      {
        name: "an open thread is opened again",
        find: "WHERE thread_id = ${threadId} AND closed_at IS NOT NULL\n",
        replace: "WHERE thread_id = ${threadId}\n"
      },
      {
        name: "the oldest thread of a task is its thread",
        find: "ORDER BY created_at DESC LIMIT 1",
        replace: "ORDER BY created_at LIMIT 1"
      }
    ]
  },
  {
    file: bot("store/Inbox.ts"),
    tests: [test("store/Threads.test.ts"), test("store/Inbox.test.ts")],
    faults: [
      {
        name: "a message of any state is begun",
        find: "WHERE event_id = ${eventId} AND state IN ('queued', 'running') RETURNING *",
        replace: "WHERE event_id = ${eventId} RETURNING *"
      },
      {
        name: "a message that the agent has is edited",
        find: "WHERE event_id = ${eventId} AND state = 'queued' AND first = 0\n            AND (content",
        replace: "WHERE event_id = ${eventId} AND first = 0\n            AND (content"
      },
      {
        name: "the first message of a task is edited",
        find: "AND state = 'queued' AND first = 0\n            AND (content",
        replace: "AND state = 'queued'\n            AND (content"
      },
      {
        name: "an edit does not see that another was faster",
        find: " AND ${sql.and(conditions)} RETURNING event_id",
        replace: " AND ${sql.and(conditions)} IS NOT NULL RETURNING event_id"
      },
      {
        name: "the first message of a task is removed",
        find: "AND state = 'queued' AND first = 0 RETURNING event_id",
        replace: "AND state = 'queued' RETURNING event_id"
      },
      {
        name: "a message that the agent has is removed",
        find: "AND state = 'queued' AND first = 0 RETURNING event_id",
        replace: "AND first = 0 RETURNING event_id"
      },
      {
        name: "messages are taken in the order of their text",
        find: "WHERE state IN ('queued', 'running')\n        ORDER BY length(event_id), event_id",
        replace: "WHERE state IN ('queued', 'running')\n        ORDER BY event_id"
      },
      {
        name: "the queue is shown in the order of the text",
        find: "SELECT * ${queuedRows} ORDER BY length(event_id), event_id",
        replace: "SELECT * ${queuedRows} ORDER BY event_id"
      },
      {
        name: "the queues of all threads are one",
        find: "FROM inbox WHERE thread_id = ${threadId} AND state = 'queued' AND kind",
        replace: "FROM inbox WHERE ${threadId} <> '' AND state = 'queued' AND kind"
      },
      {
        name: "late output waits in the queue",
        find: "AND state = 'queued' AND kind <> 'late_output'`\n",
        replace: "AND state = 'queued'`\n"
      },
      {
        name: "interrupted messages go on in no order",
        find: "(isNewer(a.eventId, b.eventId) ? 1 : -1)",
        replace: "(isNewer(a.eventId, b.eventId) ? -1 : 1)"
      },
      {
        name: "messages are interrupted while their thread is open",
        find: "WHERE threads.thread_id = inbox.thread_id AND closed_at IS NOT NULL)",
        replace: "WHERE threads.thread_id = inbox.thread_id)"
      },
      {
        name: "a message that the agent has is never delivered again",
        find: "OR EXISTS (SELECT 1 FROM turns WHERE turn_id = event_id AND prompted = 1) THEN 'cut'",
        replace: "THEN 'cut'"
      },
      {
        name: "an interrupted message has the attempt of before",
        find: "attempt = attempt + 1",
        replace: "attempt = attempt"
      }
    ]
  },
  {
    file: bot("store/Turns.ts"),
    tests: [test("store/Threads.test.ts")],
    faults: [
      {
        name: "the neighbours of a turn are those of all threads",
        find: "            AND thread_id = (SELECT thread_id FROM turns WHERE turn_id = ${turnId})\n            AND ${where}",
        replace: "            AND ${where}"
      },
      {
        name: "the first turn of a thread is the neighbour",
        find: "sql`rowid < ${ownRowId}`, sql`rowid DESC`",
        replace: "sql`rowid < ${ownRowId}`, sql`rowid`"
      },
      { name: "a turn without a prompt counts as prompted", find: " AND (prompted = 1 OR first = 1)\n", replace: "\n" },
      {
        name: "an offer to send once more is taken twice",
        find: "WHERE turn_id = ${turnId} AND json_extract(ended, '$.resend') = 1 RETURNING turn_id",
        replace: "WHERE turn_id = ${turnId} RETURNING turn_id"
      },
      {
        name: "offers of all threads are one",
        find: "WHERE thread_id = ${threadId} AND json_extract(ended, '$.resend') = 1`",
        replace: "WHERE ${threadId} <> '' AND json_extract(ended, '$.resend') = 1`"
      }
    ]
  },
  {
    file: bot("store/Permissions.ts"),
    tests: [test("store/Permissions.test.ts")],
    faults: [
      {
        name: "a request is answered twice",
        find: "AND state = 'open' AND deadline_at > ${now}\n          RETURNING",
        replace: "AND deadline_at > ${now}\n          RETURNING"
      },
      {
        name: "a request is answered after its deadline",
        find: "AND state = 'open' AND deadline_at > ${now}\n          RETURNING",
        replace: "AND state = 'open'\n          RETURNING"
      },
      {
        name: "a request is answered at its deadline",
        find: "AND state = 'open' AND deadline_at > ${now}\n          RETURNING",
        replace: "AND state = 'open' AND deadline_at >= ${now}\n          RETURNING"
      },
      {
        name: "a request expires a millisecond too late",
        find: "AND deadline_at <= ${now}`.pipe",
        replace: "AND deadline_at < ${now}`.pipe"
      },
      {
        name: "the requests of all turns expire with one",
        find: "WHERE turn_id = ${turnId} AND state = 'open'\n          AND deadline_at",
        replace: "WHERE ${turnId} <> '' AND state = 'open'\n          AND deadline_at"
      },
      {
        name: "an answer that the service has is taken back",
        find: "AND state = 'answered' AND sent = 0`.pipe(Table.write),\n    draft",
        replace: "AND state = 'answered'`.pipe(Table.write),\n    draft"
      },
      {
        name: "a request opens again after its deadline",
        find: "CASE WHEN deadline_at > ${now} THEN 'open' ELSE 'expired' END",
        replace: "CASE WHEN deadline_at > ${now} THEN 'open' ELSE 'open' END"
      },
      {
        name: "a draft is changed outside of a transaction",
        find: "      sql\n        .withTransaction(\n          Effect.tap(find(permissionId)",
        replace: "      ((each) => each)(\n          Effect.tap(find(permissionId)"
      },
      {
        name: "the draft of an answered request changes",
        find: "page = ${next.optionPage}\n                    WHERE permission_id = ${permissionId} AND state = 'open'`",
        replace: "page = ${next.optionPage}\n                    WHERE permission_id = ${permissionId}`"
      },
      {
        name: "an answer that was not sent is confirmed",
        find: "SET sent = 2 WHERE permission_id = ${permissionId} AND sent = 1",
        replace: "SET sent = 2 WHERE permission_id = ${permissionId}"
      },
      {
        name: "requests of all turns are withdrawn with one",
        find: "state = 'withdrawn' WHERE turn_id = ${turnId} AND state = 'open'`",
        replace: "state = 'withdrawn' WHERE ${turnId} <> '' AND state = 'open'`"
      },
      {
        name: "a request of another turn is taken for this one",
        find: "WHERE turn_id = ${row.turnId} AND sent = 0",
        replace: "WHERE ${row.turnId} <> '' AND sent = 0"
      },
      {
        name: "a request whose answer the service has is taken for this one",
        find: "WHERE turn_id = ${row.turnId} AND sent = 0\n",
        replace: "WHERE turn_id = ${row.turnId}\n"
      },
      {
        name: "any request of the turn is taken for this one",
        find: "      AND fingerprint = ${row.fingerprint}\n",
        replace: "      AND ${row.fingerprint} <> ''\n"
      },
      {
        name: "two equal requests have one row",
        find: "      AND ${sql.and(notTaken)}\n",
        replace: "      AND ${sql.and(notTaken)} IS NOT NULL\n"
      },
      {
        name: "an answered row comes before an open one",
        find: "ORDER BY CASE state WHEN 'open' THEN 0",
        replace: "ORDER BY CASE state WHEN 'open' THEN 9"
      },
      {
        name: "an undelivered answer is given for a new request",
        find: "answer = CASE WHEN ${isDoubtful} THEN NULL ELSE answer END",
        replace: "answer = answer"
      },
      {
        name: "an answer that may have arrived is given for a new request",
        find: "AND handed_over = 1))",
        replace: "AND handed_over = 2))"
      },
      {
        name: "a repeated request keeps its old deadline",
        find: "THEN ${row.deadlineAt} ELSE deadline_at END",
        replace: "THEN deadline_at ELSE deadline_at END"
      }
    ]
  },
  {
    file: bot("store/Shares.ts"),
    tests: [test("store/Rights.test.ts")],
    faults: [
      {
        name: "a share is made without its entry in the log",
        find: "      yield* sql.withTransaction(\n        Effect.zipRight(change",
        replace: "      yield* ((each) => each)(\n        Effect.zipRight(change"
      },
      {
        name: "a share ends without its entry in the log",
        find: "return yield* sql.withTransaction(\n",
        replace: "return yield* ((each) => each)(\n"
      },
      {
        name: "all shares of a task end with one",
        find: "WHERE task_id = ${taskId} AND user_id = ${userId}\n",
        replace: "WHERE task_id = ${taskId} AND ${userId} <> ''\n"
      },
      {
        name: "the shares of a person end in all tasks",
        find: "WHERE task_id = ${taskId} AND user_id = ${userId}\n",
        replace: "WHERE ${taskId} <> '' AND user_id = ${userId}\n"
      },
      {
        name: "the right to approve is not given later",
        find: "SET reply = excluded.reply, approve = excluded.approve`",
        replace: "SET reply = excluded.reply`"
      },
      { name: "an end that changes nothing is logged", find: "if (deleted.length === 0) return false", replace: "" }
    ]
  },
  {
    file: bot("store/Rules.ts"),
    tests: [test("store/Rights.test.ts")],
    faults: [
      {
        name: "a rule is set without its entry in the log",
        find: "yield* sql.withTransaction(Effect.zipRight(change, note))",
        replace: "yield* Effect.zipRight(change, note)"
      },
      {
        name: "a changed rule does not count until the next start",
        find: "            cache = new Map()\n",
        replace: ""
      },
      {
        name: "the rules of all servers count",
        find: "WHERE guild_id = ${guildId} ORDER BY capability",
        replace: "WHERE ${guildId} <> '' ORDER BY capability"
      },
      {
        name: "a rule that was set stays as it was first",
        find: "DO UPDATE SET allow = excluded.allow`",
        replace: "DO NOTHING`"
      },
      {
        name: "a rule of a channel replaces that of the server",
        find: 'channel_id: rule.channelId ?? "",\n        capability',
        replace: 'channel_id: "",\n        capability'
      }
    ]
  },
  {
    file: bot("store/Chats.ts"),
    tests: [test("store/Rights.test.ts")],
    faults: [
      {
        name: "a chat's message is stored without its place",
        find: "    addMessage: ({ content, eventId, threadId }, activeUntil) =>\n      sql\n        .withTransaction(",
        replace: "    addMessage: ({ content, eventId, threadId }, activeUntil) =>\n      ((each) => each)("
      },
      {
        name: "a chat's message is sent without its place",
        find: "      sql\n        .withTransaction(\n          Effect.zipRight(\n            sql`UPDATE assistant_inbox SET sent = 1",
        replace:
          "      ((each) => each)(\n          Effect.zipRight(\n            sql`UPDATE assistant_inbox SET sent = 1"
      },
      {
        name: "the oldest chat of a person counts",
        find: "ORDER BY created_at DESC LIMIT 1",
        replace: "ORDER BY created_at LIMIT 1"
      },
      { name: "a closed chat counts", find: "          AND closed_at IS NULL ORDER BY", replace: "          ORDER BY" },
      {
        name: "a chat's messages go in the order of their text",
        find: "AND sent = 0 ORDER BY length(event_id), event_id",
        replace: "AND sent = 0 ORDER BY event_id"
      },
      {
        name: "messages that were sent are sent again",
        find: "WHERE thread_id = ${threadId} AND sent = 0 ORDER",
        replace: "WHERE thread_id = ${threadId} ORDER"
      }
    ]
  },
  {
    file: bot("store/account/GrantsToEnd.ts"),
    tests: [test("store/Rights.test.ts")],
    faults: [
      { name: "a grant is due a millisecond late", find: "WHERE due_at <= ${now}", replace: "WHERE due_at < ${now}" },
      {
        name: "the next due time is that of a due grant",
        find: "WHERE due_at > ${now} ORDER",
        replace: "WHERE due_at >= ${now} ORDER"
      },
      {
        name: "all grants are postponed with one",
        find: "SET due_at = ${dueAt} WHERE grant_id = ${grantId}",
        replace: "SET due_at = ${dueAt} WHERE ${grantId} <> ''"
      },
      {
        name: "the grants of all people are due at once",
        find: "WHERE grant_id LIKE ${`${prefix}%`}",
        replace: "WHERE ${prefix} <> ''"
      }
    ]
  },
  {
    file: bot("store/DownloadLinks.ts"),
    tests: [test("store/DownloadLinks.test.ts")],
    faults: [
      { name: "a link works at its end", find: "AND expires_at > ${now}", replace: "AND expires_at >= ${now}" },
      {
        name: "links that expired are kept",
        find: "yield* sql`DELETE FROM download_links WHERE expires_at <= ${now}`\n",
        replace: "\n"
      }
    ]
  },
  {
    file: bot("access/Policy.ts"),
    tests: [test("access/Policy.test.ts")],
    faults: [
      { name: "a role outweighs a person", find: "Role: 2, User: 4", replace: "Role: 4, User: 2" },
      {
        name: "a server's rule outweighs a channel's",
        find: "(channelId === undefined ? 0 : 1)",
        replace: "(channelId === undefined ? 1 : 0)"
      },
      {
        name: "of two equal rules the allowing one counts",
        find: "decisive.every(({ allow }) => allow)",
        replace: "decisive.some(({ allow }) => allow)"
      },
      {
        name: "rules of other channels count",
        find: "(rule.channelId === undefined || rule.channelId === channelId) &&",
        replace: ""
      },
      { name: "rules of other capabilities count", find: "rule.capability === capability &&", replace: "" },
      {
        name: "a task is used from another server",
        find: 'if (person.guildId !== task.guildId) return "notYours"',
        replace: ""
      },
      {
        name: "who may write may approve",
        find: '(capability === "approve" ? share.approve : share.reply)',
        replace: "share.reply"
      },
      {
        name: "people without an id own tasks without an owner",
        find: 'return person.userId !== "" && person.userId === action.ownerId',
        replace: "return person.userId === action.ownerId"
      },
      {
        name: "others use a task while its owner is away",
        find: "if (ownerIsHere === true || owns(person, task)) return",
        replace: "if (ownerIsHere !== undefined || owns(person, task)) return"
      },
      {
        name: "others approve while the owner is away",
        find: 'return decision === "allowed" ? requireOwnerPresent(person, action.task, facts) : decision\n    }\n    case "ChooseForAgent"',
        replace: 'return decision\n    }\n    case "ChooseForAgent"'
      },
      {
        name: "who may write lets the agent work unasked",
        find: 'if (decision !== "allowed" || !action.allowsMore) return decision',
        replace: "if (decision !== null) return decision"
      },
      {
        name: "replies need no right to spend",
        find: "return maySpend ? requireOwnerPresent",
        replace: "return maySpend !== undefined ? requireOwnerPresent"
      },
      {
        name: "unreadable roles are none",
        find: 'if (typeof person.roleIds === "object" || person.guildId === undefined)',
        replace: 'if (typeof person.roleIds !== "number" || person.guildId === undefined)'
      }
    ]
  },
  {
    file: bot("store/StopTarget.ts"),
    tests: [test("store/StopTarget.test.ts")],
    faults: [
      {
        name: "a stop means a message that came after it",
        find: "isNewer(requestId, one.eventId) && !isOverBy",
        replace: "!isOverBy"
      },
      {
        name: "a stop means a turn that people saw end",
        find: "isNewer(requestId, one.eventId) && !isOverBy(requestId, one)",
        replace: "isNewer(requestId, one.eventId)"
      },
      { name: "a second stop means the same turn", find: "ran?.stopAsked === false\n", replace: "ran !== undefined\n" },
      {
        name: "the first message of a task waits",
        find: 'kind === "message" && !first && !prompted && !ended',
        replace: 'kind === "message" && !prompted && !ended'
      }
    ]
  },
  {
    file: bot("turn/session/history/SessionPrompts.ts"),
    tests: [test("turn/SessionHistory.test.ts")],
    faults: [
      {
        name: "messages of the same length are the same messages",
        find: "usersText(session).length === after &&\n",
        replace: "usersText(session).length === after ||\n"
      },
      {
        name: "other messages of the same length are those from before",
        find: "hash === undefined ? text.length >= after",
        replace: "hash !== undefined ? text.length >= after"
      },
      {
        name: "a message and answer in place of equal ones count as those before",
        find: "(count(session) === 0 || session.entries",
        replace: "(count(session) >= 0 || session.entries"
      }
    ]
  },
  {
    file: bot("model/AssistantQuestion.ts"),
    tests: [test("model/AssistantQuestion.test.ts")],
    faults: [
      {
        name: "of several questions under another name, the first is asked alone",
        find: "questions.length > 1 && questions.some(hasOptions)",
        replace: "questions.length > 9 && questions.some(hasOptions)"
      },
      {
        name: "an answer to a part of a message may stand as the whole",
        find: "[...asked, ...listed].every(isShown)",
        replace: "[...asked, ...listed].every(isShown) !== undefined"
      },
      {
        name: "of two approvals with the same words, one stands for both",
        find: "count(asked, one) <= count(questions, one)",
        replace: "count(asked, one) >= count(questions, one)"
      },
      { name: "an input asks nothing", find: "(isInput(fields) && !toolInputs.has(fields))", replace: "false" },
      { name: "the input of a tool asks the person", find: " && !toolInputs.has(fields)", replace: "" },
      { name: "a form of a tool is no question", find: "!inner.some(", replace: "!inner.slice(inner.length).some(" },
      {
        name: "a part of a list that cannot be read is no part of it",
        find: "options.length === 0 && !isRecord(raw)",
        replace: "options.length === 0"
      }
    ]
  },
  {
    file: bot("view/artifact/Repetition.ts"),
    tests: [test("view/SharedPosts.test.ts")],
    faults: [
      {
        name: "a summary repeats where its sentences are said in another order",
        find: "paragraphsOf(withoutTitle(markdown, title))",
        replace: "withoutTitle(markdown, title).split(/\\n|(?<=[.])\\s/)"
      },
      {
        name: "a summary repeats where the text introduces its words",
        find: 'introduces ? "\\r" : "\\n"',
        replace: '"\\n"'
      }
    ]
  },
  {
    file: bot("bot/Bot.ts"),
    tests: [test("Cards.test.ts"), test("turn/DeadChannel.test.ts")],
    faults: [
      {
        name: "a question is open for as long as the service waits",
        find: "options.answerDeadlineMs ?? 290_000",
        replace: "options.answerDeadlineMs ?? 300_000"
      },
      {
        name: "a silent channel is checked each quarter of an hour only",
        find: "options.channelSilenceMs ?? 45_000",
        replace: "options.channelSilenceMs ?? 900_000"
      }
    ]
  }
]
