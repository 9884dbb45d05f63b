import type {
  ChatCompletionChunk,
  ChatDelta,
  ChatFinishReason,
  ChatToolCallDelta,
  CompletionUsage,
} from '@svc/wire/openai'
import { type ArgumentSource, type AssignedPiece, type CallAssembler, createCallAssembler } from '../call-assembler.ts'
import { type Fields, isFields, toCount, toFields, toList, toText, tryParseJson } from '../fields.ts'
import { createArgumentSource } from './argument-source.ts'
import { type ChunkHead, createDeltaChunk, createFinishChunk, createUsageChunk } from './chunks.ts'
import { endWithCalls, readFinishReason, withoutCalls } from './finish-reason.ts'
import { findErrorInside } from './reply-errors.ts'
import type { ReaderOptions, StreamReader, TranslateMode } from './reply-reader.ts'
import { findChunkUsage } from './usage.ts'

/**
 * Reads a stream of the compatible format: its first choice; skips unreadable events. It is complete after `[DONE]` or
 * the finish reason.
 */
export function createCompatibleStream({ mode, now }: ReaderOptions): StreamReader {
  let head: ChunkHead | undefined
  let reason: ChatFinishReason | undefined
  let usage: CompletionUsage | undefined
  let fresh: CompletionUsage | undefined
  let hasEnded = false
  const calls = createCallAssembler()

  const ending = (): ChatCompletionChunk[] => {
    if (head === undefined) return []
    const first = head
    const last = mode === 'text' ? withoutCalls(reason ?? 'stop') : endWithCalls(reason ?? 'stop', calls.count > 0)
    // A call that was cut off gets no arguments that the model did not write.
    const empty = last === 'length' ? [] : calls.listEmpty()
    return [
      ...empty.map((index) => createDeltaChunk(first, { tool_calls: [{ index, function: { arguments: '{}' } }] })),
      createFinishChunk(head, last),
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
      fresh = findChunkUsage(chunk) ?? fresh
      usage = fresh ?? usage
      const choices = toList(chunk.choices)
      const place = choices.findIndex((one) => isFields(one) && (one.index ?? 0) === 0)
      if (place < 0) return []
      const choice = toFields(choices[place])
      const isFirst = head === undefined
      head ??= readHead(chunk, now)
      if (choice.finish_reason != null) reason = readFinishReason(choice.finish_reason)
      const source = createArgumentSource(data, { choice: place, member: 'delta' })
      const deltas = readDeltas(toFields(choice.delta), { mode, calls, source })
      const first: ChatDelta[] = isFirst ? [{ role: 'assistant', content: '' }] : []
      return [...first, ...deltas].map((delta) => createDeltaChunk(head ?? readHead(chunk, now), delta))
    },
    takeFigures() {
      const figures = fresh
      fresh = undefined
      return figures
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

interface DeltaReading {
  readonly mode: TranslateMode
  readonly calls: CallAssembler
  readonly source: ArgumentSource
}

/** A delta for each lane that a chunk adds to, so that none holds two. */
function readDeltas(delta: Fields, { mode, calls, source }: DeltaReading): ChatDelta[] {
  const content = `${toText(delta.content) ?? ''}${toText(delta.refusal) ?? ''}`
  const spoken = content === '' ? [] : [{ content }]
  if (mode === 'text') return spoken
  const reasoning = toText(delta.reasoning) ?? toText(delta.reasoning_content) ?? ''
  const pieces = calls.take(delta, source).map(writePiece)
  return [
    ...(reasoning === '' ? [] : [{ reasoning }]),
    ...spoken,
    ...(pieces.length === 0 ? [] : [{ tool_calls: pieces }]),
  ]
}

function writePiece({ index, opened, arguments: given }: AssignedPiece): ChatToolCallDelta {
  if (opened === undefined) return { index, function: { arguments: given } }
  const { id, name } = opened
  return { index, id, type: 'function', function: { name, arguments: given } }
}
