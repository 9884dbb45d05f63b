import * as z from 'zod'
import { AGENT_LIMITS } from '../../../agents/task.ts'

const text = (longest: number) => z.string().max(longest).nullish()
const number = (least: number, most: number) => z.number().min(least).max(most).nullish()
const count = (most: number) => z.int().min(0).max(most).nullish()

const toolServer = z.looseObject({
  name: text(100),
  url: z.url({ protocol: /^https?$/ }),
  token: text(8192),
})

/** Body of a new or a changed agent. Members that this server gives no meaning are kept. */
export const agentForm = z.looseObject({
  name: z
    .string()
    .max(100)
    .regex(/^[\p{L}\p{N}_](?:[\p{L}\p{N}_ .-]*[\p{L}\p{N}_.-])?$/u, {
      error:
        'must begin with a letter or a digit, hold letters, digits, blanks, points, _ and - only, and end with no blank',
    }),
  description: text(AGENT_LIMITS.descriptionLength),
  model: text(AGENT_LIMITS.nameLength),
  system_prompt: text(AGENT_LIMITS.promptLength),
  mcp_servers: z.array(toolServer).max(AGENT_LIMITS.media).nullish(),
  mcp_stdio_servers: z.unknown().optional(),
  vector_stores: z.array(z.string().min(1).max(AGENT_LIMITS.nameLength)).max(AGENT_LIMITS.media).nullish(),
  collections: z.array(z.string().min(1).max(AGENT_LIMITS.nameLength)).max(AGENT_LIMITS.media).nullish(),
  enable_kb: z.boolean().nullish(),
  skills: z.array(z.string().min(1).max(AGENT_LIMITS.nameLength)).max(AGENT_LIMITS.media).nullish(),
  enable_skills: z.boolean().nullish(),
  max_iterations: count(1000),
  parameters: z
    .looseObject({
      temperature: number(0, 100),
      top_p: number(0, 1),
      max_tokens: count(10_000_000),
      seed: z.int().nullish(),
    })
    .nullish(),
  connectors: z.unknown().optional(),
  actions: z.unknown().optional(),
})

/** Body of a message. */
export const chatForm = z.looseObject({ message: z.string().max(AGENT_LIMITS.promptLength).nullish() })

export const agentDone = z.object({ status: z.literal('ok') })
export const agentList = z.object({
  agents: z.array(z.string()),
  agentCount: z.int(),
  actions: z.int(),
  connectors: z.int(),
  statuses: z.record(z.string(), z.boolean()),
  agent_hub_url: z.string().optional(),
})
export const agentState = z.object({ active: z.boolean() })
export const agentConfig = z.looseObject({ name: z.string() })
export const messageReceived = z.object({ status: z.literal('message_received'), message_id: z.string() })

const time = z.string().meta({ description: 'RFC 3339' })

export const agentStatus = z.object({
  Name: z.string(),
  History: z.array(
    z.object({
      id: z.string(),
      message: z.string(),
      status: z.string(),
      result: z.string().optional(),
      error: z.string().optional(),
      timestamp: time,
    }),
  ),
})

export const observables = z.object({
  Name: z.string(),
  History: z.array(
    z.object({
      id: z.string(),
      agent: z.string(),
      name: z.literal('message'),
      creation: z.object({ message: z.string(), timestamp: time }),
      progress: z.array(z.looseObject({ type: z.string(), content: z.string(), timestamp: time })),
      completion: z
        .object({
          status: z.string(),
          result: z.string().optional(),
          error: z.string().optional(),
          timestamp: time.optional(),
        })
        .optional(),
    }),
  ),
})

const field = z.object({
  name: z.string(),
  label: z.string(),
  type: z.string(),
  helpText: z.string(),
  defaultValue: z.unknown().optional(),
})

export const configMetadata = z.object({
  Fields: z.array(field),
  MCPServers: z.array(field),
  Connectors: z.array(z.unknown()),
  Actions: z.array(z.unknown()),
  DynamicPrompts: z.array(z.unknown()),
  Filters: z.array(z.unknown()),
})

export const actionList = z.object({ actions: z.array(z.string()) })

export const folderList = z.object({
  files: z.array(z.object({ name: z.string(), type: z.enum(['file', 'folder']), size: z.int() })),
})

/** Data of an event of an agent. */
export const agentEvent = z.looseObject({ id: z.string() })
