const server = (path) => `packages/server/src/${path}`
const test = (path) => `packages/server/test/${path}`
const storage = [test("sql/Storage.test.ts")]
const delivery = [test("assistant/AssistantDelivery.test.ts")]

export const places = [
  {
    file: server("sql/WriteCheck.ts"),
    tests: [test("sql/WriteCheck.test.ts")],
    faults: [
      {
        name: "only the database is asked whether it takes writes",
        find: "sql`UPDATE master_key SET fingerprint = fingerprint`, checkDisk)",
        replace: "sql`UPDATE master_key SET fingerprint = fingerprint`, checkDisk.pipe(Effect.ignore))"
      },
      {
        name: "a full disk is a failure of the service",
        find: "(ENOSPC|",
        replace: "("
      }
    ]
  },
  {
    file: server("sql/Storage.ts"),
    tests: storage,
    faults: [
      {
        name: "a lost database is made anew",
        find: "Fs.existsSync(MasterKey.path(dataDir)) && Database.isEmpty(dataDir)",
        replace: "false"
      },
      {
        name: "a database that lost its key gets another",
        find: "if (used.length === 0) yield* MasterKey.create(dataDir)",
        replace: "if (used.length < 9) yield* MasterKey.create(dataDir)"
      },
      {
        name: "a database from before fingerprints gets another key",
        find: "SELECT 1 FROM master_key UNION ALL SELECT 1 FROM accounts LIMIT 1",
        replace: "SELECT 1 FROM master_key"
      }
    ]
  },
  {
    file: server("sql/Database.ts"),
    tests: storage,
    faults: [
      {
        name: "the log of an empty database is lost",
        find: "if (size === 0) return true",
        replace: "if (size === -1) return true"
      },
      {
        name: "a database without tables is not empty",
        find: 'prepare("SELECT 1 FROM sqlite_master").get() === undefined',
        replace: 'prepare("SELECT 1 FROM sqlite_master").get() === null'
      }
    ]
  },
  {
    file: server("http/sandbox/AcpChannelHttp.ts"),
    tests: [test("sandbox/session/NarrowedToken.test.ts")],
    faults: [
      {
        name: "an error of a reader declines a request",
        find: "if (!ticket.mayInvoke && JsonRpc.isResponse(message)) return",
        replace: "if (false) return"
      },
      { name: "an error of a reader is refused", find: "? JsonRpc.isFailure(message)", replace: "? false" },
      {
        name: "a reader answers requests",
        find: "if (!ticket.mayInvoke && !isReading(message)) {",
        replace: "if (!ticket.mayInvoke && !JsonRpc.isResponse(message) && !isReading(message)) {"
      }
    ]
  },
  {
    file: server("assistant/AssistantDelivery.ts"),
    tests: delivery,
    faults: [
      {
        name: "a message does not wait for the computer that began",
        find: "holder === undefined && absentMs < Duration.toMillis(handOver)",
        replace: "holder === undefined && absentMs < 0"
      },
      {
        name: "a message waits a millisecond too long for the computer that began",
        find: "absentMs < Duration.toMillis(handOver)",
        replace: "absentMs <= Duration.toMillis(handOver)"
      },
      {
        name: "after a restart, a message does not wait for the computer that began",
        find: "?? startedAt)",
        replace: "?? 0)"
      },
      {
        name: "after a restart, a message waits for the computer that began without end",
        find: "?? startedAt)",
        replace: "?? now)"
      }
    ]
  },
  {
    file: server("assistant/Connections.ts"),
    tests: delivery,
    faults: [
      {
        name: "a computer is absent since its connection began",
        find: "    disconnect: (connection, now) => {\n      lastSeenTimes.set(connection.run.assistantId, now)\n",
        replace: "    disconnect: (connection, _now) => {\n"
      }
    ]
  },
  {
    file: server("limits/RateLimiter.ts"),
    tests: [test("limits/RateLimits.test.ts")],
    faults: [
      {
        name: "a caller saves up more than a burst",
        find: "const fullTime = Math.max(fullAt.get(key) ?? now, now)",
        replace: "const fullTime = fullAt.get(key) ?? now"
      },
      {
        name: "a caller that comes again is forgotten first",
        find: "      fullAt.delete(key)\n      fullAt.set(",
        replace: "      fullAt.set("
      },
      { name: "one caller less is remembered", find: "fullAt.size > capacity", replace: "fullAt.size >= capacity" },
      {
        name: "callers are forgotten before their allowance is full",
        find: "if (dropped > 0 && (fullTime > now || dropped >= 100)) return",
        replace: "if (dropped >= 100) return"
      }
    ]
  },
  {
    file: server("limits/Attempts.ts"),
    tests: [test("limits/Attempts.test.ts")],
    faults: [
      {
        name: "tries are remembered for any number of keys",
        find: "if (tries.size <= maxKeys) break",
        replace: "break"
      },
      {
        name: "the tries of one key less are remembered",
        find: "tries.size <= maxKeys",
        replace: "tries.size < maxKeys"
      },
      { name: "the tries of one key more are remembered", find: "= 10_000", replace: "= 10_001" },
      {
        name: "the tries of a key that is used again are forgotten first",
        find: "    tries.delete(id)\n    tries.set(",
        replace: "    tries.set("
      }
    ]
  },
  {
    file: server("sandbox/agent/RunningAgents.ts"),
    tests: [test("sandbox/agent/RunningAgents.test.ts")],
    faults: [
      { name: "one agent ends for two that wait", find: "&& !member.isEnding && (", replace: "&& (" },
      {
        name: "two agents end for one that waits",
        find: "if (waiter.awaited?.isEnding === true && running.has(waiter.awaited)) continue\n",
        replace: "\n"
      },
      {
        name: "an agent that is used again still counts as ending",
        find: "member.isEnding = false\n",
        replace: "\n"
      }
    ]
  }
]
