export * as Sandboxes from "./Sandboxes.ts"
