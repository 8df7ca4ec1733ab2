import { defineConfig } from "vitest/config"

const conditions = ["@heddle/source", "node"]
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } }
/** Every exchange with an emulator is judged by Discord's own description. */
const oracle = "./packages/discord-emulator/test/oracle/setup.ts"
const emulator = "packages/discord-emulator/test/**/*.test.ts"
/** Counts by the metrics of the whole process. */
const metrics = "packages/acp/test/HttpExchange.test.ts"

export default defineConfig({
  test: {
    // Most tests wait for processes, sockets and Discord's own limits: more workers than cores pay.
    maxWorkers: 4,
    projects: [
      {
        ...source,
        test: {
          name: "shared",
          // Loading Effect anew for every file took a third of all the time.
          isolate: false,
          setupFiles: ["./test/OwnMethods.ts", oracle],
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          exclude: [emulator, metrics],
          testTimeout: 20_000,
          hookTimeout: 20_000
        }
      },
      {
        ...source,
        test: {
          name: "emulator",
          // With the bot's HTTP client in the same process, discord.js as others use it sends no files.
          isolate: false,
          setupFiles: ["./test/OwnMethods.ts", oracle],
          include: [emulator],
          testTimeout: 20_000,
          hookTimeout: 20_000
        }
      },
      {
        ...source,
        test: {
          name: "apart",
          setupFiles: [oracle],
          include: [metrics, "test/**/*.test.ts", "examples/*/*.test.ts"],
          testTimeout: 20_000,
          hookTimeout: 20_000
        }
      }
    ]
  }
})
