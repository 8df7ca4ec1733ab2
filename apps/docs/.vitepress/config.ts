import { defineConfig } from "vitepress"

export default defineConfig({
  title: "Heddle",
  description: "Chat with cloud coding tasks in Discord threads",
  cleanUrls: true,
  themeConfig: {
    nav: [
      { text: "Guide", link: "/guide/start" },
      { text: "Architecture", link: "/architecture" },
      { text: "Decisions", link: "/decisions/" }
    ],
    sidebar: [
      {
        text: "Guide",
        items: [
          { text: "Start here", link: "/guide/start" },
          { text: "From invite to answer", link: "/guide/first-steps" },
          { text: "The command line", link: "/guide/command-line" },
          { text: "Authorization options", link: "/guide/authorization" },
          { text: "Run the service", link: "/guide/service" },
          { text: "Bring your own agent", link: "/guide/agents" },
          { text: "Agent recipes", link: "/guide/agent-recipes" },
          { text: "Local assistant", link: "/guide/local-assistant" },
          { text: "Use the packages", link: "/guide/packages" },
          { text: "Retries", link: "/guide/retries" },
          { text: "Conformance", link: "/guide/conformance" },
          { text: "Benchmarks", link: "/guide/benchmarks" },
          { text: "Proofs", link: "/guide/proofs" }
        ]
      },
      {
        text: "Contract",
        items: [
          { text: "Contract decisions", link: "/contract/decisions" },
          { text: "Conformance checks", link: "/contract/checks" }
        ]
      },
      { text: "Architecture", items: [{ text: "How it works", link: "/architecture" }] },
      {
        text: "Decisions",
        items: [
          { text: "All records", link: "/decisions/" },
          { text: "0001 One process per stack", link: "/decisions/0001-one-process-local-stack" },
          { text: "0002 Emulator without Effect", link: "/decisions/0002-emulator-without-effect" },
          { text: "0003 Held first prompt", link: "/decisions/0003-held-first-prompt" },
          { text: "0004 One HTTP agent", link: "/decisions/0004-one-http-agent-for-discord" },
          { text: "0005 Unknown fields", link: "/decisions/0005-unknown-fields" },
          { text: "0006 Load before resume", link: "/decisions/0006-load-before-resume" },
          { text: "0007 Agents in bubblewrap", link: "/decisions/0007-agents-in-bubblewrap" },
          { text: "0008 Own rate limiter", link: "/decisions/0008-own-rate-limiter" },
          { text: "0009 A gap is a new connection", link: "/decisions/0009-a-gap-is-a-new-connection" },
          { text: "0010 Private links", link: "/decisions/0010-private-links" },
          { text: "0011 A code confirms a link", link: "/decisions/0011-a-code-confirms-a-link" },
          { text: "0012 One consent for a new person", link: "/decisions/0012-one-consent" },
          { text: "0013 The state machine of a turn", link: "/decisions/0013-a-turn-is-a-state-machine" },
          { text: "0014 The bot's rooms in one order", link: "/decisions/0014-rooms-in-one-order" },
          { text: "0015 OpenAPI texts in the contract", link: "/decisions/0015-openapi-texts-in-the-contract" },
          { text: "0016 One load per connection", link: "/decisions/0016-one-load-per-connection" },
          { text: "0017 Markdown on Lezer", link: "/decisions/0017-markdown-on-lezer" },
          { text: "0018 Length of a path", link: "/decisions/0018-length-of-a-path" },
          { text: "0019 A prompt runs once", link: "/decisions/0019-a-prompt-runs-once" },
          { text: "0020 Files of prompts in the task", link: "/decisions/0020-files-of-prompts-in-the-task" },
          { text: "0021 Choices of agents are kept", link: "/decisions/0021-choices-of-agents-are-kept" },
          { text: "0022 Agents of a service have names", link: "/decisions/0022-agents-by-name" },
          { text: "0023 A limit on the agents that run", link: "/decisions/0023-how-many-agents-run" },
          { text: "0024 How much history a task keeps", link: "/decisions/0024-how-much-history-a-task-keeps" },
          { text: "0025 The server's package has its SQLite driver", link: "/decisions/0025-packed-sqlite-driver" },
          {
            text: "0026 A thread keeps its channel between messages",
            link: "/decisions/0026-a-thread-keeps-its-channel"
          },
          {
            text: "0027 A ticket has the scopes of the token that asked for it",
            link: "/decisions/0027-a-ticket-has-the-scopes-of-its-token"
          },
          {
            text: "0028 The demo agent understands a small declared language",
            link: "/decisions/0028-demo-agent-language"
          },
          {
            text: "0029 The client sends its requests without the platform's derived client",
            link: "/decisions/0029-a-client-without-the-derived-one"
          },
          {
            text: "0030 The test command tests the built packages",
            link: "/decisions/0030-tests-on-built-packages"
          }
        ]
      }
    ],
    search: { provider: "local" }
  },
  vite: { server: { host: "127.0.0.1" } }
})
