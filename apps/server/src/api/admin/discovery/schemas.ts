import * as z from 'zod'

/** Reply of `GET /.well-known/service.json`. */
export const discoveryReply = z.object({
  version: z.string(),
  endpoints: z.record(z.string(), z.string()),
  endpoint_groups: z.record(z.string(), z.record(z.string(), z.string())),
  capabilities: z.record(z.string(), z.boolean()),
})

/** Reply of `GET /api/features`. */
export const featuresReply = z.object({
  agents: z.boolean(),
  mcp: z.boolean(),
  fine_tuning: z.boolean(),
  quantization: z.boolean(),
  distributed: z.boolean(),
  localai_assistant: z.boolean(),
})

const entry = z.object({ name: z.string(), description: z.string(), tags: z.array(z.string()), url: z.string() })

/** Reply of `GET /api/instructions`. */
export const instructionListReply = z.object({ instructions: z.array(entry), hint: z.string() })

/** Query of a page. */
export const instructionQuery = z.object({ format: z.enum(['json', 'markdown']).optional() })
