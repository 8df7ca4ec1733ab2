/**
 * What a push into the index costs, against a plain map that only overwrites, which keeps no order and no deletions.
 */
export const bench = {
  name: "artifacts-index",
  what: "CPU time of a thousand pushes into an index",
  baseline: "Map.set",
  variants: {
    "Map.set": ["Folds.js", "map"],
    ArtifactIndex: ["Folds.js", "index"]
  },
  driver: "variant",
  cases: {
    "10 artifacts": { artifacts: 10 },
    "10,000 artifacts": { artifacts: 10_000 },
    "10,000 artifacts, in disorder": { artifacts: 10_000, disorder: true }
  }
} as const
