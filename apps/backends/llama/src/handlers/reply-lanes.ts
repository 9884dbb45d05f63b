import { randomBytes } from 'node:crypto'
import type { ChatDelta, PartialMessage } from '@svc/backend-client/proto'
import {
  createReasoningSplitter,
  createToolCallStream,
  findPrefilledToken,
  type ReasoningDelta,
  type ToolCallEvent,
  type ToolFormatMarkers,
  toKnownTools,
} from '@svc/reply-parser'

/** Splits an answer into its lanes, for hosts that do not parse its text themselves. */
export interface ReplyLanes {
  /** Returns the additions of a piece of the answer; empty while they are undecided. */
  push(text: string): PartialMessage<ChatDelta>[]
  end(): PartialMessage<ChatDelta>[]
}

/** Options of splitting an answer. */
export interface LaneOptions {
  /** The end of the prompt: the answer may begin inside thoughts. */
  readonly promptEnd: string
  /** Whether the answer is searched for thoughts. With thinking off, a model writes the tags only as text. */
  readonly thinks: boolean
  /** Declarations of the tools that may be called; null: calls are text. */
  readonly tools: readonly unknown[] | null
  /** Markers of calls, for forms that the parser does not know by default. */
  readonly markers: ToolFormatMarkers | undefined
}

/** Creates the lanes of one answer. */
export function createReplyLanes({ promptEnd, thinks, tools, markers }: LaneOptions): ReplyLanes {
  const splitter = createReasoningSplitter(
    { disable: !thinks },
    { promptEndsInside: thinks ? findPrefilledToken(promptEnd, {}) : undefined },
  )
  const calls = tools === null ? undefined : createToolCallStream({ settings: {}, markers, tools: toKnownTools(tools) })
  const answer = (text: string): PartialMessage<ChatDelta>[] => {
    if (text === '') return []
    return calls === undefined ? [{ content: text }] : calls.push(text).map(toDelta)
  }
  const read = ({ reasoning, text }: ReasoningDelta): PartialMessage<ChatDelta>[] => [
    ...(reasoning === '' ? [] : [{ reasoningContent: reasoning }]),
    ...answer(text),
  ]
  return {
    push: (text) => read(splitter.push(text)),
    end: () => [...read(splitter.end()), ...(calls?.end().map(toDelta) ?? [])],
  }
}

function toDelta(event: ToolCallEvent): PartialMessage<ChatDelta> {
  switch (event.type) {
    case 'text':
      return { content: event.text }
    case 'call-start':
      return { toolCalls: [{ index: event.index, id: event.id ?? newCallId(), name: event.name }] }
    case 'call-arguments':
      return { toolCalls: [{ index: event.index, arguments: event.text }] }
  }
}

function newCallId(): string {
  return `call_${randomBytes(12).toString('hex')}`
}
