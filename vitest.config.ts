import { defineConfig } from "vitest/config"

const conditions = ["@heddle/source", "node"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    setupFiles: ["packages/discord-emulator/test/oracle/setup.ts"],
    include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // Most tests wait for processes, sockets and Discord's own limits: more workers than cores pay.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 20_000
  }
})
