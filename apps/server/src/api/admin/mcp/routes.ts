import type * as z from 'zod'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { DescribedServer, PageOptions } from '../../../mcp/describe-servers.ts'
import type { UsedServer } from '../../../mcp/tool-set.ts'
import { findModel, type McpRouteParts } from './route-parts.ts'
import { signInRoutes } from './sign-in-routes.ts'

const schemas = () => import('./schemas.ts')
const pages = () => import('../../../mcp/describe-servers.ts')

const shared = { access: 'any', feature: 'mcp', family: 'compatible', tag: 'mcp' } as const

/** `/v1/mcp/servers`, `…/prompts`, `…/resources` and `…/tools`: the MCP servers that the file of a model names. */
export function mcpRoutes(parts: McpRouteParts): Route[] {
  return [
    serverRoute(parts),
    ...promptRoutes(parts),
    ...resourceRoutes(parts),
    toolRoute(parts),
    ...signInRoutes(parts),
  ]
}

function serverRoute(parts: McpRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/v1/mcp/servers/:model',
    summary: 'The MCP servers of a model, with their tools',
    responses: {
      200: {
        description: 'Each server with its tools, or with the reason why it has none.',
        schema: async () => (await schemas()).mcpServerList,
      },
    },
    handler: (call) =>
      withServers(call, parts, async (servers, options, { name }) => {
        const described = await (await pages()).describeServers(servers, options)
        return json({ model: name, servers: described.map(toWire) })
      }),
  })
}

function toWire({ tools, ...server }: DescribedServer): object {
  return {
    ...server,
    tools: tools.map(({ name, tool, description, inputSchema, hints, approval }) => ({
      name,
      tool,
      description,
      inputSchema,
      annotations: {
        readOnlyHint: hints.readOnly,
        idempotentHint: hints.idempotent,
        destructiveHint: hints.destructive,
      },
      approval,
    })),
  }
}

function promptRoutes(parts: McpRouteParts): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/mcp/prompts/:model',
      summary: 'The prompts of the MCP servers of a model',
      responses: {
        200: {
          description: 'Prompts as their servers describe them.',
          schema: async () => (await schemas()).mcpPromptList,
        },
      },
      handler: (call) =>
        withServers(call, parts, async (servers, options, { name }) => {
          const prompts = await (await pages()).listAll(servers, 'prompts', options)
          return json({ model: name, prompts })
        }),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/mcp/prompts/:model/:prompt',
      summary: 'The messages of a prompt',
      body: async () => (await schemas()).mcpPromptRequest,
      responses: {
        200: { description: 'The filled-in prompt.', schema: async () => (await schemas()).mcpPromptReply },
      },
      handler: (call) =>
        withServers(call, parts, async (servers, options) => {
          const body = await readWith(call, parts, (await schemas()).mcpPromptRequest)
          const request = { ...options, args: body.arguments ?? {} }
          return json(await (await pages()).getPrompt(servers, call.param('prompt'), request))
        }),
    }),
  ]
}

function resourceRoutes(parts: McpRouteParts): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/mcp/resources/:model',
      summary: 'The resources of the MCP servers of a model',
      responses: {
        200: {
          description: 'Resources and their templates as their servers describe them.',
          schema: async () => (await schemas()).mcpResourceList,
        },
      },
      handler: (call) =>
        withServers(call, parts, async (servers, options, { name }) => {
          const { listAll } = await pages()
          const [resources, resourceTemplates] = await Promise.all([
            listAll(servers, 'resources', options),
            listAll(servers, 'resourceTemplates', options),
          ])
          return json({ model: name, resources, resourceTemplates })
        }),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/mcp/resources/:model/read',
      summary: 'The content of a resource',
      body: async () => (await schemas()).mcpResourceRequest,
      responses: { 200: { description: 'The content.', schema: async () => (await schemas()).mcpResourceReply } },
      handler: (call) =>
        withServers(call, parts, async (servers, options) => {
          const { uri } = await readWith(call, parts, (await schemas()).mcpResourceRequest)
          return json(await (await pages()).readResource(servers, uri, options))
        }),
    }),
  ]
}

function toolRoute(parts: McpRouteParts): Route {
  return defineRoute({
    ...shared,
    access: 'admin',
    feature: undefined,
    method: 'POST',
    path: '/v1/mcp/tools/:model/call',
    summary: 'Call a tool of a model by hand',
    audit: { change: 'mcp.call', target: 'model' },
    body: async () => (await schemas()).mcpToolRequest,
    responses: {
      200: { description: 'What the tool answers.', schema: async () => (await schemas()).mcpToolReply },
    },
    handler: (call) =>
      withServers(call, parts, async (servers, options) => {
        const body = await readWith(call, parts, (await schemas()).mcpToolRequest)
        const { server, tool, arguments: args = {} } = body
        call.noteChange({ details: `${server}: ${tool}` })
        return json(await (await pages()).tryTool(servers, { server, tool, args }, options))
      }),
  })
}

/** Runs a page with the servers of the model that the path names, and gives the sessions back. */
async function withServers(
  call: Call,
  { models, open }: McpRouteParts,
  answer: (servers: readonly UsedServer[], options: PageOptions, model: ModelConfig) => Promise<HttpReply>,
): Promise<HttpReply> {
  const model = findModel(call, models)
  const servers = (await open()).use(model)
  try {
    return await answer(servers, { signal: call.signal, logger: call.log }, model)
  } finally {
    for (const server of servers) server.release()
  }
}

async function readWith<S extends z.ZodType>(call: Call, { bodies }: McpRouteParts, schema: S): Promise<z.output<S>> {
  const held = await bodies.read(call)
  try {
    const [{ readBody }, { readDocument }] = await Promise.all([
      import('../../../inference/documents/read-body.ts'),
      import('../../../inference/documents/read-json.ts'),
    ])
    return await readBody(schema, await readDocument(held.bytes, call), call.signal)
  } finally {
    held.release()
  }
}
