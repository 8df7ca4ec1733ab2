import { effect, it, live, scoped, scopedLive } from "@effect/vitest"

// `layer(…)((it) => …)` writes its own methods onto the one `it` of all files; each file begins with the plain ones.
Object.assign(it, { effect, live, scoped, scopedLive })
