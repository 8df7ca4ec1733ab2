import { effect, it, live, scoped, scopedLive } from "@effect/vitest"

// `layer(…)((it) => …)` writes its methods onto the shared `it`; this restores the plain ones for each file.
Object.assign(it, { effect, live, scoped, scopedLive })
