import { defineConfig } from "vitest/config"

const conditions = ["@heddle/source", "node"]
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } }
/** Most code of a test runs a few times only: compiled at once it takes an eighth less CPU time. */
const execArgv = ["--always-sparkplug"]
/** Checks every exchange with an emulator against Discord's API description. */
const oracle = "./packages/discord-emulator/test/oracle/setup.ts"
const emulator = "packages/discord-emulator/test/**/*.test.ts"
/** They read the metrics of the whole process. */
const metrics = ["packages/acp/test/Metrics.test.ts", "packages/server/test/sandbox/Unloading.test.ts"]

export default defineConfig({
  test: {
    // A dot for each test; the output of a test is shown when it fails.
    reporters: ["dot"],
    silent: "passed-only",
    // Most tests wait for processes, sockets and Discord's limits, so more workers than cores are faster.
    maxWorkers: 4,
    projects: [
      {
        ...source,
        test: {
          name: "shared",
          // Loading Effect for every file took a third of the time.
          isolate: false,
          setupFiles: ["./test/OwnMethods.ts", oracle],
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          exclude: [emulator, ...metrics],
          execArgv,
          testTimeout: 20_000,
          hookTimeout: 20_000
        }
      },
      {
        ...source,
        test: {
          name: "emulator",
          // The bot's HTTP client in the same process keeps plain discord.js from sending files.
          isolate: false,
          setupFiles: ["./test/OwnMethods.ts", oracle],
          include: [emulator],
          execArgv,
          testTimeout: 20_000,
          hookTimeout: 20_000
        }
      },
      {
        ...source,
        test: {
          name: "apart",
          setupFiles: [oracle],
          include: [...metrics, "test/**/*.test.ts", "examples/*/*.test.ts"],
          execArgv,
          testTimeout: 20_000,
          hookTimeout: 20_000
        }
      }
    ]
  }
})
