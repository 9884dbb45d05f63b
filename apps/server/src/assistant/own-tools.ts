import type { Authentication } from '@svc/auth'
import { checkAccess } from '@svc/auth/access'
import { SvcError } from '@svc/errors'
import type { RequestContext } from '../inference/core/ports.ts'
import { createOwnToolSet } from '../inference/tools/own-tool-set.ts'
import type { OpenOwnTools, ServerTool } from '../inference/tools/server-tools.ts'
import type { CallerTools } from './caller-tools.ts'
import { ASSISTANT_RIGHT } from './right.ts'
import type { AssistantTool } from './tool.ts'

/** The label of the server of the tools. */
const OWN_SERVER = 'assistant'

/** A request, with its credential where one came with it. */
export type AssistantCaller = Pick<RequestContext, 'principal' | 'requestId' | 'baseUrl'> & {
  readonly authentication?: Authentication | undefined
  readonly clientAddress?: string | undefined
}

/** Parts of {@link createOwnTools}. */
export interface OwnToolsParts {
  readonly isOn: () => boolean
  /** The tools for a caller. The first call loads them. */
  readonly openTools: (caller: AssistantCaller) => Promise<CallerTools>
}

/** Creates the function that gives the assistant's tools to a chat: tools that read run at once, others are asked for. */
export function createOwnTools({ isOn, openTools }: OwnToolsParts): OpenOwnTools {
  return async ({ context, signal }) => {
    if (!isOn()) {
      throw new SvcError('invalid_request', 'the assistant is turned off on this server', {
        code: 'assistant_disabled',
      })
    }
    checkAccess(context.principal, ASSISTANT_RIGHT)
    signal.throwIfAborted()
    const tools = await openTools(context)
    return createOwnToolSet(tools.list().map((tool) => toServerTool(tool, tools)))
  }
}

function toServerTool(
  { name, description, inputSchema, effect, idempotent }: AssistantTool,
  tools: CallerTools,
): ServerTool {
  return {
    name,
    tool: name,
    server: OWN_SERVER,
    description,
    inputSchema,
    hints: { readOnly: effect === 'read', idempotent, destructive: effect === 'destructive' },
    approval: effect === 'read' ? 'auto' : 'ask',
    call: (args, { signal, onProgress }) =>
      tools.call(name, args, { signal, progress: (message) => onProgress?.(message) }),
  }
}
