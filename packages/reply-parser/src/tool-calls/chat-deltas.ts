import type { ParsedToolCall } from './tool-call.ts'

/** A piece of a reply whose backend separates its parts. */
export interface ChatDelta {
  readonly content: string
  readonly reasoningContent: string
  readonly toolCalls: readonly {
    readonly index: number
    readonly id: string
    readonly name: string
    readonly arguments: string
  }[]
}

/** A reply whose backend separated its parts. */
export interface CollectedReply {
  readonly content: string
  readonly reasoning: string
  /** In the order of their indexes. */
  readonly calls: readonly ParsedToolCall[]
}

interface OpenCall {
  name: string
  id: string
  readonly pieces: string[]
}

/** Joins the deltas of one reply. Arguments are joined as they came; the last name and id of a call count. */
export function collectChatDeltas(deltas: Iterable<ChatDelta>): CollectedReply {
  const content: string[] = []
  const reasoning: string[] = []
  const open = new Map<number, OpenCall>()
  for (const delta of deltas) {
    content.push(delta.content)
    reasoning.push(delta.reasoningContent)
    for (const { index, id, name, arguments: piece } of delta.toolCalls) {
      const call = open.get(index) ?? { name: '', id: '', pieces: [] }
      call.name = name || call.name
      call.id = id || call.id
      call.pieces.push(piece)
      open.set(index, call)
    }
  }
  const calls = [...open].sort(([a], [b]) => a - b).map(([, call]) => toParsedCall(call))
  return { content: content.join(''), reasoning: reasoning.join(''), calls }
}

function toParsedCall({ name, id, pieces }: OpenCall): ParsedToolCall {
  return { name, arguments: pieces.join(''), ...(id === '' ? {} : { id }) }
}
