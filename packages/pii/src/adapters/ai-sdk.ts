/**
 * A middleware for language models of the AI SDK. It imports nothing of the SDK.
 *
 * @module
 */
import { createLaneRestorer, type LaneRestorer, restoreText, type TokenMap } from '../reversible/index.ts'
import { type ConversationOptions, filterCall } from './filter-value.ts'
import { isFields, type JsonFields, restoreValue } from './json-value.ts'

/** The parts of a call that a model reads, each with the member that it is in bodies. */
const MEMBERS = {
  prompt: 'messages',
  tools: 'tools',
  toolChoice: 'tool_choice',
  responseFormat: 'response_format',
  stopSequences: 'stop',
} as const

/** The part of a call that the middleware reads. */
interface CallParams {
  readonly prompt: unknown
  readonly tools?: unknown
  readonly toolChoice?: unknown
  readonly responseFormat?: unknown
  readonly stopSequences?: unknown
  readonly abortSignal?: AbortSignal | undefined
}

/** A part of a reply, whole or streamed. */
interface ReplyPart {
  readonly type: string
}

/** A middleware as `wrapLanguageModel` takes it. */
export interface PiiLanguageModelMiddleware {
  readonly specificationVersion: 'v3'
  transformParams<Params extends CallParams>(call: { readonly params: Params }): Promise<Params>
  wrapGenerate<Result extends { content: ReplyPart[] }>(call: {
    readonly doGenerate: () => PromiseLike<Result>
    readonly params: object
  }): Promise<Result>
  wrapStream<Part extends ReplyPart, Result extends { stream: ReadableStream<Part> }>(call: {
    readonly doStream: () => PromiseLike<Result & { stream: ReadableStream<Part> }>
    readonly params: object
  }): Promise<Result>
}

/**
 * Creates a middleware: the model reads tokens in place of private values, in prompts, tools, results of tools, formats of
 * replies and stop sequences, and the caller reads the values again, in whole and in streamed replies. Files are not
 * scanned; with `blockUnscannedMedia` a prompt with one is refused. Headers and `providerOptions` of the call, which
 * may hold credentials, are not scanned.
 *
 * @example
 * const model = wrapLanguageModel({ model: provider('large'), middleware: piiMiddleware() })
 */
export function piiMiddleware(options: ConversationOptions = {}): PiiLanguageModelMiddleware {
  const maps = new WeakMap<object, TokenMap>()
  return {
    specificationVersion: 'v3',
    async transformParams({ params }) {
      const { value, tokens } = await filterCall(toBody(params), { signal: params.abortSignal, ...options })
      const filtered = { ...params, ...fromBody(value) }
      if (tokens !== undefined) maps.set(filtered, tokens)
      return filtered
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate()
      const tokens = maps.get(params)
      return tokens === undefined
        ? result
        : { ...result, content: result.content.map((part) => restorePart(tokens, part)) }
    },
    async wrapStream({ doStream, params }) {
      const result = await doStream()
      const tokens = maps.get(params)
      return tokens === undefined ? result : { ...result, stream: result.stream.pipeThrough(restoreStream(tokens)) }
    },
  }
}

const NAMES = Object.entries(MEMBERS) as [keyof typeof MEMBERS, string][]

function toBody(params: CallParams): JsonFields {
  return Object.fromEntries(
    NAMES.flatMap(([name, member]) => (params[name] === undefined ? [] : [[member, params[name]]])),
  )
}

function fromBody(body: JsonFields): JsonFields {
  return Object.fromEntries(NAMES.flatMap(([name, member]) => (member in body ? [[name, body[member]]] : [])))
}

/** A whole part with its values. The input of a call is JSON text. */
function restorePart<Part extends ReplyPart>(tokens: TokenMap, part: Part): Part {
  const restored = restoreValue(tokens, part)
  if (part.type !== 'tool-call' || !('input' in part) || typeof part.input !== 'string') return restored
  return { ...restored, input: restoreText(tokens, part.input, 'json') }
}

const DELTA = '-delta'
const END = '-end'

/** Restores a stream of parts: the deltas of a text may cut a token anywhere. */
function restoreStream<Part extends ReplyPart>(tokens: TokenMap): TransformStream<Part, Part> {
  const lanes = new Map<string, { readonly lane: LaneRestorer; readonly last: Part }>()
  const end = (key: string): Part[] => {
    const open = lanes.get(key)
    lanes.delete(key)
    const rest = open?.lane.end() ?? ''
    return open === undefined || rest === '' ? [] : [{ ...open.last, delta: rest }]
  }
  const restore = (part: Part): Part[] => {
    const { type } = part
    const id = 'id' in part ? String(part.id) : ''
    if (type.endsWith(DELTA) && 'delta' in part && typeof part.delta === 'string') {
      const key = `${type.slice(0, -DELTA.length)} ${id}`
      const lane = lanes.get(key)?.lane ?? createLaneRestorer(tokens, type === 'tool-input-delta' ? 'json' : 'text')
      lanes.set(key, { lane, last: part })
      return [{ ...part, delta: lane.push(part.delta) }]
    }
    if (type.endsWith(END)) return [...end(`${type.slice(0, -END.length)} ${id}`), part]
    // what the provider sent, with tokens
    return [isFields(part) && type !== 'raw' ? restorePart(tokens, part) : part]
  }
  return new TransformStream({
    transform: (part, controller) => {
      for (const restored of restore(part)) controller.enqueue(restored)
    },
    flush: (controller) => {
      for (const key of [...lanes.keys()]) for (const part of end(key)) controller.enqueue(part)
    },
  })
}
