import { isPlainName } from "../artifacts/ArtifactPath.ts"

/** Tells whether files and folders with this name are offered: not keys, and of hidden names only known ones. */
export const isOffered = (name: string): boolean =>
  // An agent's HOME is the task's folder, so an unknown hidden name may hold its credentials.
  isPlainName(name) ? !keys.test(name) : hiddenNames.test(name)

/** The name of an artifact, which is never hidden. */
export const visible = (name: string): string => name.replace(/^\./, "dot_")

const hiddenNames =
  /^\.(github|gitlab|gitlab-ci\.yml|circleci|gitignore|gitattributes|gitmodules|env\.(example|sample|template)|editorconfig|dockerignore|devcontainer|vscode|storybook|changeset|husky|nvmrc|node-version|python-version|ruby-version|tool-versions|pre-commit-config\.ya?ml|(eslint|prettier|stylelint|babel|browserslist|swc|lintstaged|markdownlint)(rc|ignore)(\.(json|jsonc|ya?ml|[cm]?js))?)$/

const keys = /^id_(rsa|dsa|ecdsa|ed25519)$|\.(pem|key|p12|pfx)$/i
