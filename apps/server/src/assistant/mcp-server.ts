import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { SvcError } from '@svc/errors'
import type { ToolContent, ToolResult } from '../inference/tools/server-tools.ts'
import type { CallerTools, ToolCallOptions } from './caller-tools.ts'
import type { AssistantTool } from './tool.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Parts of {@link createMcpServer}. */
export interface McpServerParts {
  readonly version: string
  /** The tools for the caller of a message. */
  readonly toolsOf: (authInfo: Extra['authInfo']) => CallerTools
  /** Most tools that run at the same time in a session. */
  readonly maxRunning: number
}

const INSTRUCTIONS =
  'These tools run a server of machine-learning models. Tools that change it are marked; show a change before you make it. ' +
  'Installations run in the background: follow_operation waits for them.'

/** Creates the protocol's server over the tools, for one session. */
export function createMcpServer({ version, toolsOf, maxRunning }: McpServerParts): Server {
  const server = new Server(
    { name: 'svc', title: 'svc', version },
    { capabilities: { tools: {}, logging: {} }, instructions: INSTRUCTIONS },
  )
  let running = 0

  server.setRequestHandler(SetLevelRequestSchema, async () => ({}))
  server.setRequestHandler(ListToolsRequestSchema, async (_, { authInfo }) => ({
    tools: toolsOf(authInfo).list().map(toWireTool),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    if (running >= maxRunning) throw new McpError(ErrorCode.InvalidRequest, 'too many tools run in this session')
    running += 1
    try {
      return toWireResult(await toolsOf(extra.authInfo).call(params.name, params.arguments, toOptions(extra)))
    } catch (error) {
      if (SvcError.is(error) && error.code === 'unknown_tool')
        throw new McpError(ErrorCode.InvalidParams, error.message)
      throw error
    } finally {
      running -= 1
    }
  })
  return server
}

function toOptions({ signal, sendNotification, _meta, closeSSEStream }: Extra): ToolCallOptions {
  const progressToken = _meta?.progressToken
  let sent = 0
  // A client that has left gets no notification, which is no failure of the tool.
  const send = (notification: ServerNotification): void =>
    void Promise.resolve(sendNotification(notification)).catch(() => undefined)
  return {
    signal,
    log: (data) => send({ method: 'notifications/message', params: { level: 'info', data } }),
    progress(message, share) {
      sent += 1
      if (progressToken === undefined) return
      const { done: progress, total } = share ?? { done: sent, total: undefined }
      send({
        method: 'notifications/progress',
        params: { progressToken, progress, message, ...(total === undefined ? {} : { total }) },
      })
    },
    ...(closeSSEStream === undefined ? {} : { closeStream: closeSSEStream }),
  }
}

function toWireTool({ name, title, description, inputSchema, effect, idempotent, openWorld }: AssistantTool): Tool {
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destructive',
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  }
}

function toWireResult({ content, isError }: ToolResult): CallToolResult {
  return { content: content.map(toWireContent), isError }
}

function toWireContent(content: ToolContent): CallToolResult['content'][number] {
  if (content.type === 'text') return { type: 'text', text: content.text }
  if (content.type === 'other') return JSON.parse(content.json)
  return { type: content.type, data: content.data, mimeType: content.mediaType }
}
