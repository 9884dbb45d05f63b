import { SvcError, toSvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import { untilAborted } from '../../concurrency/until-aborted.ts'
import type { ToolCall } from '../core/request.ts'
import { mapConcurrently } from '../operations/map-concurrently.ts'
import type { LoopLimits } from './limits.ts'
import type { OpenTool } from './open-tools.ts'
import { cutText, type ToolMedium, toResultText } from './result-text.ts'
import type { ToolResult } from './server-tools.ts'

/** A call with the tool that answers it. */
export interface ServerCall {
  readonly call: ToolCall
  /** JSON text of the arguments, with masked values put back. */
  readonly arguments: string
  /** Absent for a name that no tool of the request has. */
  readonly tool: OpenTool | undefined
  /** Why the call does not run. @default it runs */
  readonly refusal?: string | undefined
}

/** The answer to a call. */
export interface CallAnswer {
  readonly of: ServerCall
  /** Text as the tool gave it, cut to its limit. */
  readonly text: string
  readonly isError: boolean
  readonly media: readonly ToolMedium[]
}

/** Options of {@link runCalls}. */
export interface RunOptions {
  readonly limits: LoopLimits
  /** Bytes of text that the results of the request may still have. */
  readonly bytesLeft: number
  /** Media that the model takes. */
  readonly accepts: ReadonlySet<string>
  readonly signal: AbortSignal
}

/**
 * Runs the calls of a turn side by side. A call that fails is answered with the reason; the answers are in the order of
 * the calls.
 *
 * @throws the reason of the signal, at once
 */
export async function runCalls(calls: readonly ServerCall[], options: RunOptions): Promise<readonly CallAnswer[]> {
  const { limits, accepts, signal } = options
  const numbered = calls.map((call, index) => ({ call, isTooMany: index >= limits.calls }))
  const results = await mapConcurrently(numbered, { limit: limits.callsAtOnce, signal }, (one, running) =>
    one.isTooMany ? Promise.resolve(toFailure('too many calls in one turn')) : runCall(one.call, running.signal),
  )
  let { bytesLeft } = options
  return results.map((result, index) => {
    const { text, media } = toResultText(result, accepts)
    const isFull = bytesLeft <= 0
    const cut = isFull ? TOO_MUCH : cutText(text, Math.min(limits.resultBytes, bytesLeft))
    bytesLeft -= Buffer.byteLength(cut)
    return { of: calls[index] as ServerCall, text: cut, isError: isFull || result.isError, media: isFull ? [] : media }
  })
}

const TOO_MUCH = 'Error: the results of this request have too much text'

async function runCall({ arguments: text, tool, refusal, call }: ServerCall, signal: AbortSignal): Promise<ToolResult> {
  if (refusal !== undefined) return toFailure(refusal)
  if (tool === undefined) return toFailure(`there is no tool ${call.name}`)
  const args = await readArguments(text, signal)
  if (args === undefined) return toFailure('the arguments are not a JSON object')
  try {
    return await untilAborted(tool.call(args, { signal }), signal)
  } catch (error) {
    signal.throwIfAborted()
    return toFailure(describe(error))
  }
}

function toFailure(reason: string): ToolResult {
  return { content: [{ type: 'text', text: reason }], isError: true }
}

/** Faults of this server are not described to models. */
function describe(thrown: unknown): string {
  return SvcError.is(thrown) ? toSvcError(thrown).message : 'the tool failed'
}

/** Most objects, arrays and keys of the arguments of one call. */
const MAX_NODES = 50_000

async function readArguments(
  text: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (text.trim() === '') return {}
  try {
    const { root } = await parseJsonCooperatively(Buffer.from(text), { maxNodes: MAX_NODES }, { signal })
    return root.kind === 'object' ? (root.toValue() as Readonly<Record<string, unknown>>) : undefined
  } catch (error) {
    signal.throwIfAborted()
    if (!SvcError.is(error)) throw error
    return undefined
  }
}
