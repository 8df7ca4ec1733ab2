import { known as statuses } from "@heddle/core/domain/TaskStatus"
import type { Settings } from "../../config/ServerConfig.ts"
import type { Json } from "./StrictSchema.ts"

/** What is said of a schema beside its fields: which this service always sends, and what they mean. */
export interface Component {
  readonly always?: ReadonlyArray<string>
  readonly fields: Readonly<Record<string, Json>>
  readonly also?: Json
}

type Components = Readonly<Record<string, Component>>

type Choices = Pick<Settings, "contract" | "limits">

/** The schemas of the contract by the names that they get in the document. */
export const components = (choices: Choices): Components => ({
  ...tokens,
  ...user,
  ...assistant(choices),
  ...tasks(choices),
  ...redemptions
})

const tokens: Components = {
  TokenResponse: {
    always: ["access_token", "token_type", "expires_in", "scope", "open_id"],
    fields: {
      access_token: { description: "Send it as `Authorization: Bearer …`." },
      token_type: { const: "Bearer" },
      expires_in: { type: "integer", description: "Seconds that the access token lives." },
      refresh_token: { description: "Given for a code; on a refresh only where the service rotates or repeats it." },
      scope: { description: "The scopes granted, separated by spaces." },
      open_id: { description: "The user as this application knows them; other applications know them by another." }
    }
  },
  DeviceAuthorization: {
    always: ["device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval"],
    fields: {
      device_code: { description: "The device polls with it and shows it to nobody." },
      user_code: { description: "What the user types on the page.", examples: ["WDJB-MJHT"] },
      verification_uri: { description: "Where the user goes.", format: "uri" },
      verification_uri_complete: { description: "The same with the code in it.", format: "uri" },
      expires_in: { type: "integer", description: "Seconds that both codes live." },
      interval: { type: "integer", description: "Seconds to wait between two polls." }
    }
  },
  Revocation: { fields: {} },
  Introspection: {
    always: ["active"],
    fields: {
      active: { description: "Whether the token is live and this application's; if not, nothing else is said." },
      exp: { type: "integer", description: "End of the token's life, Unix time in seconds." },
      sub: { description: "The user as this application knows them." }
    }
  }
}

const user: Components = {
  Profile: {
    always: ["nickname", "avatar"],
    fields: { avatar: { description: "A URL, or empty." } }
  },
  PhoneNumber: {
    fields: {
      phone_number: {
        description:
          "Mainland China with or without +86, every other country with its code. Spaces, hyphens and parentheses may stand anywhere.",
        minLength: 1,
        examples: ["138 1234 5678", "+852 9123 4567"]
      }
    }
  },
  PhoneVerification: { fields: { matched: { description: "Whether the number is the user's bound one." } } },
  CreditQuota: {
    fields: {
      total_capacity_size: { description: "Credits of all packs that are valid or used up." },
      total_capacity_used: { description: "Credits used of the same packs." }
    }
  }
}

const assistant = ({ limits }: Choices): Components => ({
  AssistantStatus: { fields: { online: { description: "Whether a local assistant of the user is connected." } } },
  NewMessage: {
    fields: {
      content: { minLength: 1, maxLength: limits.content, description: `At most ${limits.content} bytes.` },
      msg_type: { "x-extensible-enum": ["text", "permission_response"], examples: ["text"] }
    }
  },
  MessageReceipt: { fields: {} },
  AssistantMessages: {
    fields: {
      messages: {
        items: {
          type: "object",
          required: ["message_id", "role", "content", "msg_type", "created_at", "attachments", "metadata"],
          properties: {
            message_id: { type: "string" },
            role: { type: "string", "x-extensible-enum": ["user", "assistant"] },
            content: { type: "array", items: { type: "string" } },
            msg_type: { type: "string", description: "Equal to `metadata.msgType`." },
            created_at: { type: "string", format: "date-time" },
            attachments: { type: "array" },
            metadata: { type: "object" }
          }
        }
      }
    }
  }
})

const tasks = ({ contract, limits }: Choices): Components => {
  const creating = contract.statusCase === "lower" ? "creating" : "CREATING"
  const status = {
    description: "One of these words; new ones may come.",
    "x-extensible-enum": statuses.map((word) => (word === "creating" ? creating : word)),
    examples: ["working"]
  }
  const listed = {
    task_id: {
      description: "Also the id of the session on the ACP channel.",
      examples: ["0d0f6d7e-5d0c-4f4e-8d3c-2f9a7c1b5e64"]
    },
    status,
    name: { description: "The given name, or the first line of the prompt.", maxLength: limits.name },
    link: { description: "The ACP channel's address; missing while the sandbox starts.", format: "uri" },
    created_at: { format: "date-time" },
    updated_at: { format: "date-time" }
  }
  return {
    NewTask: {
      fields: {
        prompt: { minLength: 1, maxLength: limits.prompt, description: `At most ${limits.prompt} bytes.` },
        name: { maxLength: limits.name },
        initial_prompt: {
          default: "run",
          description: "`hold` starts the session and leaves the prompt for the caller to send over the ACP channel."
        }
      }
    },
    Task: {
      always: ["task_id", "status", "name", "created_at", "updated_at"],
      fields: {
        ...listed,
        token: { description: "Opens the ACP channel and the session's artifacts, nothing else. Comes with `link`." },
        expire_at: { description: "End of the token's life, Unix time in seconds." },
        sandboxLink: { format: "uri" },
        sandboxDataLink: { format: "uri" }
      }
    },
    TaskPage: {
      fields: {
        tasks: {
          items: {
            type: "object",
            required: ["task_id", "status", "name", "created_at", "updated_at"],
            properties: Object.fromEntries(
              Object.entries(listed).map(([name, it]) => [name, { type: "string", ...it }])
            )
          }
        },
        total: { description: "How many tasks there are on all pages." }
      }
    }
  }
}

const redemptions: Components = {
  RedemptionRequest: {
    fields: {
      code: { description: "A redemption code; alone." },
      gift_key: { description: "A voucher's card number; with `gift_code`." },
      gift_code: { description: "A voucher's card secret; with `gift_key`." },
      request_id: { description: "The caller's key of this redemption: the same again gives the same answer." }
    },
    also: {
      oneOf: [
        { required: ["code"], not: { anyOf: [{ required: ["gift_key"] }, { required: ["gift_code"] }] } },
        { required: ["gift_key", "gift_code"], not: { required: ["code"] } }
      ]
    }
  },
  Redemption: {
    always: ["status", "flow_no", "credits", "open_id"],
    fields: {
      status: { "x-extensible-enum": ["success"] },
      credits: { description: "Credits issued by this redemption.", format: "int64" },
      open_id: { description: "The receiving user as this application knows them." }
    }
  }
}
