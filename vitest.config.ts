import { relative } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** `pnpm test` tests the built packages, which load faster; Vitest by itself tests the sources as they are. */
const isBuilt = process.env["HEDDLE_TEST_BUILT"] === "1"
const condition = isBuilt ? "@heddle/built" : "@heddle/source"
const conditions = [condition, "node"]
const resolution = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: [condition, "node", "module-sync"] } }
}
const limits = {
  // They end what hangs, in milliseconds. A busy machine alone must not break a test.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // Tests of one process share its compiled code, so they take less CPU time than those of more processes.
  maxConcurrency: 10
}
/** Most code of a test runs a few times only: compiled at once, kept, and optimized late, it takes less CPU time. */
const execArgv = [
  "--always-sparkplug",
  "--no-flush-bytecode",
  "--interrupt-budget=1000000",
  "--max-semi-space-size=64",
  ...(isBuilt ? [`--conditions=${condition}`] : [])
]
/** Checks every exchange with an emulator against Discord's API description. */
const oracle = "./packages/discord-emulator/test/oracle/setup.ts"
const emulator = "packages/discord-emulator/test/**/*.test.ts"
/** They read the metrics of the whole process. */
const metrics = ["packages/acp/test/Metrics.test.ts", "packages/server/test/sandbox/Unloading.test.ts"]

/** They wait longest. A clone without earlier results would begin them last, and then wait for them alone. */
const longest = [
  "test/Readme.test.ts",
  "test/Packages.test.ts",
  "apps/bot/test/agents/Story.test.ts",
  "apps/bot/test/Faults.test.ts",
  "packages/server/test/agents/Foreign.test.ts",
  "packages/server/test/Conformance.test.ts",
  "packages/conformance/test/PlainService.test.ts",
  "apps/bot/test/plain/Scenarios.test.ts",
  "apps/bot/test/LongAnswer.test.ts",
  "apps/bot/test/intake/CatchUp.test.ts",
  "apps/bot/test/turn/DeadChannel.test.ts",
  "apps/bot/test/turn/Stop.test.ts"
]

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const isLong = ({ moduleId }: TestSpecification) => longest.includes(relative(this.ctx.config.root, moduleId))
    // A worker serves one project, so projects stay together.
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))]
    })
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // A dot for each test; the output of a test is shown when it fails.
    reporters: ["dot"],
    silent: "passed-only",
    // Most tests wait for processes, sockets and Discord's limits, so more workers than cores are faster.
    maxWorkers: 5,
    projects: [
      {
        ...resolution,
        test: {
          name: "shared",
          // Loading Effect for every file took a third of the time.
          isolate: false,
          setupFiles: ["./test/OwnMethods.ts", oracle],
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          exclude: [emulator, ...metrics],
          execArgv,
          server: { deps: { external: isBuilt ? [/\/dist\//] : [] } },
          ...limits
        }
      },
      {
        ...resolution,
        test: {
          name: "emulator",
          // The bot's HTTP client in the same process keeps plain discord.js from sending files.
          isolate: false,
          setupFiles: ["./test/OwnMethods.ts", oracle],
          include: [emulator],
          execArgv,
          server: { deps: { external: isBuilt ? [/\/dist\//] : [] } },
          ...limits
        }
      },
      {
        ...resolution,
        test: {
          name: "apart",
          setupFiles: [oracle],
          include: [...metrics, "test/**/*.test.ts", "examples/*/*.test.ts"],
          execArgv,
          server: { deps: { external: isBuilt ? [/\/dist\//] : [] } },
          ...limits
        }
      }
    ]
  }
})
