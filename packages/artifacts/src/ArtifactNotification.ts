import * as ArtifactEntry from "./ArtifactEntry.ts"

/** Tells whether a notification is an artifact push, whatever the vendor's prefix. */
export const isMethod = (method: string): boolean => /^_[^/]+\/artifact$/.test(method)

/** Reads the params of an artifact push (contract 6): the whole artifact, or type and uri of a deleted one. */
export const fromParams = (params: unknown): ArtifactEntry.ArtifactEntry | undefined => ArtifactEntry.fromJson(params)
