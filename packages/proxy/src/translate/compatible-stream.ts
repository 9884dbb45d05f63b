import type {
  ChatCompletionChunk,
  ChatDelta,
  ChatFinishReason,
  ChatToolCallDelta,
  CompletionUsage,
} from '@svc/wire/openai'
import { type Fields, isFields, toCount, toFields, toList, toText, tryParseJson } from '../fields.ts'
import { type ChunkHead, createDeltaChunk, createFinishChunk, createUsageChunk } from './chunks.ts'
import { readFinishReason, withoutCalls } from './finish-reason.ts'
import { findErrorInside } from './reply-errors.ts'
import type { StreamOptions, StreamReader, TranslateMode } from './reply-reader.ts'
import { readCompatibleUsage } from './usage.ts'

/**
 * Reads a stream of the compatible format: its first choice; skips unreadable events. It is complete after `[DONE]` or
 * the finish reason.
 */
export function createCompatibleStream({ mode, now, onUsage }: StreamOptions): StreamReader {
  let head: ChunkHead | undefined
  let reason: ChatFinishReason | undefined
  let usage: CompletionUsage | undefined
  let hasEnded = false

  const ending = (): ChatCompletionChunk[] => {
    if (head === undefined) return []
    const last = reason ?? 'stop'
    return [
      createFinishChunk(head, mode === 'text' ? withoutCalls(last) : last),
      ...(usage === undefined ? [] : [createUsageChunk(head, usage)]),
    ]
  }

  return {
    get hasEnded() {
      return hasEnded
    },
    push(data) {
      if (data.trim() === '[DONE]') {
        hasEnded = true
        return ending()
      }
      const chunk = tryParseJson(data)
      if (!isFields(chunk)) return []
      const failure = findErrorInside(chunk)
      if (failure !== undefined) throw failure
      const figures = readCompatibleUsage(chunk.usage)
      if (figures !== undefined) onUsage?.(figures)
      usage = figures ?? usage
      const choice = firstChoice(chunk)
      if (choice === undefined) return []
      const isFirst = head === undefined
      head ??= readHead(chunk, now)
      if (choice.finish_reason != null) reason = readFinishReason(choice.finish_reason)
      const deltas = readDeltas(toFields(choice.delta), mode)
      const first: ChatDelta[] = isFirst ? [{ role: 'assistant', content: '' }] : []
      return [...first, ...deltas].map((delta) => createDeltaChunk(head ?? readHead(chunk, now), delta))
    },
    end() {
      if (hasEnded) return []
      return reason === undefined ? undefined : ending()
    },
  }
}

function readHead(chunk: Fields, now: () => number): ChunkHead {
  return {
    id: toText(chunk.id) ?? '',
    model: toText(chunk.model) ?? '',
    created: toCount(chunk.created) ?? Math.floor(now() / 1000),
  }
}

function firstChoice(chunk: Fields): Fields | undefined {
  return toList(chunk.choices)
    .filter(isFields)
    .find(({ index }) => (index ?? 0) === 0)
}

/** A delta for each lane that a chunk adds to, so that none holds two. */
function readDeltas(delta: Fields, mode: TranslateMode): ChatDelta[] {
  const content = `${toText(delta.content) ?? ''}${toText(delta.refusal) ?? ''}`
  const spoken = content === '' ? [] : [{ content }]
  if (mode === 'text') return spoken
  const reasoning = toText(delta.reasoning) ?? toText(delta.reasoning_content) ?? ''
  const calls = readCallDeltas(delta)
  return [
    ...(reasoning === '' ? [] : [{ reasoning }]),
    ...spoken,
    ...(calls.length === 0 ? [] : [{ tool_calls: calls }]),
  ]
}

function readCallDeltas({ tool_calls: calls, function_call: legacy }: Fields): ChatToolCallDelta[] {
  const all = toList(calls).map(toFields)
  if (all.length === 0 && isFields(legacy)) all.push({ index: 0, function: legacy })
  return all.map(({ index, id, function: called }, place) => {
    const { name, arguments: given } = toFields(called)
    const number = toCount(index) ?? place
    const starts = typeof name === 'string' && name !== ''
    return {
      index: number,
      // Without an id from the upstream, the first piece of a call still needs one.
      ...(starts ? { id: toText(id) || `call_${number}`, type: 'function' as const } : {}),
      function: { ...(starts ? { name } : {}), arguments: toText(given) ?? '' },
    }
  })
}
