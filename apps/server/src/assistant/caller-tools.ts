import { SvcError, toSvcError } from '@svc/errors'
import * as z from 'zod'
import type { ToolResult } from '../inference/tools/server-tools.ts'
import type { Clock } from '../ports.ts'
import { toPublicError } from '../public-error.ts'
import type { ApiReply, CallerApi } from './api.ts'
import { toFailure, toResult } from './result.ts'
import type { AssistantTool, ToolContext } from './tool.ts'

/** Longest run of a tool, milliseconds. */
const MAX_RUN_MS = 10 * 60_000
/** Faults of arguments that an answer names. */
const MAX_FAULTS = 8

/** Options of a call of a tool. */
export interface ToolCallOptions extends Partial<Pick<ToolContext, 'progress' | 'log' | 'closeStream'>> {
  readonly signal: AbortSignal
}

/** The tools of the assistant for one caller. */
export interface CallerTools {
  /** The tools that the caller may use at this moment. */
  list(): readonly AssistantTool[]
  /**
   * Runs a tool. A failure of the tool, and arguments that do not fit, are results.
   *
   * @throws {SvcError} `not_found` for a tool that the caller does not have; `cancelled` after an abort
   */
  call(name: string, args: unknown, options: ToolCallOptions): Promise<ToolResult>
}

/** Parts of {@link createCallerTools}. */
export interface CallerToolsParts {
  readonly tools: readonly AssistantTool[]
  readonly api: CallerApi
  /** Whether tools may change the server at this moment. */
  readonly mayWrite: () => boolean
  readonly clock: Pick<Clock, 'sleep'>
}

/** Creates the tools of a caller. */
export function createCallerTools({ tools, api, mayWrite, clock }: CallerToolsParts): CallerTools {
  const isGiven = ({ effect, routes }: AssistantTool): boolean => {
    if (effect !== 'read' && !(api.isAdmin && mayWrite())) return false
    return routes.every((route) => api.allows(route))
  }

  function toContext(tool: string, options: ToolCallOptions, signal: AbortSignal): ToolContext {
    const { progress = () => undefined, log = () => undefined, closeStream } = options
    return {
      signal,
      progress,
      log,
      ...(closeStream === undefined ? {} : { closeStream }),
      sleep: (ms) => clock.sleep(ms, { signal }),
      async request(request) {
        signal.throwIfAborted()
        const reply = await api.request(request, { tool, signal })
        if (reply.status >= 400) throw toRefusal(reply)
        return reply
      },
    }
  }

  return {
    list: () => tools.filter(isGiven),
    async call(name, args, options) {
      const tool = tools.find((one) => one.name === name)
      if (tool === undefined || !isGiven(tool)) throw unknownTool(name, tool, mayWrite())
      const signal = AbortSignal.any([options.signal, AbortSignal.timeout(MAX_RUN_MS)])
      try {
        return toResult(await tool.run(args, toContext(name, options, signal)))
      } catch (thrown) {
        if (options.signal.aborted) throw toSvcError(options.signal.reason)
        if (thrown instanceof z.ZodError) return toFailure(describeFaults(thrown))
        return toFailure(toPublicError(thrown).message)
      }
    },
  }
}

/** Says nothing about a tool that the caller may not use, but that all tools of its kind are turned off. */
function unknownTool(name: string, tool: AssistantTool | undefined, mayWrite: boolean): SvcError {
  const isOff = tool !== undefined && tool.effect !== 'read' && !mayWrite
  const message = isOff ? 'tools that change the server are turned off' : `there is no tool ${name.slice(0, 100)} here`
  return new SvcError('not_found', message, { code: 'unknown_tool' })
}

function describeFaults({ issues }: z.ZodError): string {
  const faults = issues.slice(0, MAX_FAULTS).map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  return `the arguments do not fit: ${faults.join('; ')}`
}

/** The failure of a request, with the message of its route. */
function toRefusal({ status, json, text }: ApiReply): SvcError {
  const message = readMessage(json) ?? (text === '' ? `the server answers with status ${status}` : text)
  return new SvcError('internal', message, { code: 'tool_failed' })
}

const refusal = z.looseObject({ error: z.union([z.string(), z.looseObject({ message: z.string() })]) })

function readMessage(json: unknown): string | undefined {
  const { data } = refusal.safeParse(json)
  if (data === undefined) return undefined
  return typeof data.error === 'string' ? data.error : data.error.message
}
