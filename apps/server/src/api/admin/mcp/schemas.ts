import * as z from 'zod'

const mcpTool = z.object({
  name: z.string().describe('The name for the model.'),
  tool: z.string().describe('The name on its server.'),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments.'),
  annotations: z.object({
    readOnlyHint: z.boolean().optional(),
    idempotentHint: z.boolean().optional(),
    destructiveHint: z.boolean().optional(),
  }),
  approval: z.enum(['auto', 'ask']).describe('Whether it runs at once, or once its caller has agreed.'),
})

/** Reply of `GET /v1/mcp/servers/:model`. */
export const mcpServerList = z.object({
  model: z.string(),
  servers: z.array(
    z.object({
      name: z.string(),
      type: z.enum(['remote', 'stdio']),
      tools: z.array(mcpTool),
      prompts: z.array(z.string()).optional(),
      resources: z.array(z.string()).optional(),
      error: z.string().optional().describe('Why the server gives nothing.'),
    }),
  ),
})

/** An object of the protocol with the server that it is from. */
const listed = z.looseObject({ server: z.string() })

/** Reply of `GET /v1/mcp/prompts/:model`. */
export const mcpPromptList = z.object({ model: z.string(), prompts: z.array(listed) })

/** Body of `POST /v1/mcp/prompts/:model/:prompt`. */
export const mcpPromptRequest = z.object({ arguments: z.record(z.string(), z.string()).optional() })

/** Reply of `POST /v1/mcp/prompts/:model/:prompt`: the object of the protocol. */
export const mcpPromptReply = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) })

/** Reply of `GET /v1/mcp/resources/:model`. */
export const mcpResourceList = z.object({
  model: z.string(),
  resources: z.array(listed),
  resourceTemplates: z.array(listed),
})

/** Body of `POST /v1/mcp/resources/:model/read`. */
export const mcpResourceRequest = z.object({ uri: z.string().min(1).max(8192) })

/** Reply of `POST /v1/mcp/resources/:model/read`: the object of the protocol. */
export const mcpResourceReply = z.looseObject({ contents: z.array(z.looseObject({ uri: z.string() })) })

/** Body of `POST /v1/mcp/tools/:model/call`. */
export const mcpToolRequest = z.object({
  server: z.string().min(1),
  tool: z.string().min(1).describe('The name on its server.'),
  arguments: z.record(z.string(), z.unknown()).optional(),
})

/** Reply of `POST /v1/mcp/tools/:model/call`: the object of the protocol. */
export const mcpToolReply = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  isError: z.boolean().optional(),
})

/** Reply of `POST /v1/mcp/sign-in/:model/:server`. */
export const mcpSignInReply = z.object({ url: z.string().nullable() })
