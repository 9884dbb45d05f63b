import type { PredictionEvent } from '../../../inference/core/events.ts'
import { isJson } from '../../../inference/prediction/check-answer.ts'

/** A block at its start. */
export type BlockKind =
  | { readonly type: 'text' }
  | { readonly type: 'thinking' }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string }

/** A change of the blocks of a message. Only one block is open at a time, and pieces belong to it. */
export type BlockStep =
  | { readonly step: 'start'; readonly block: BlockKind }
  | { readonly step: 'piece'; readonly text: string }
  /** Only a thought of an upstream has a signature. */
  | { readonly step: 'stop'; readonly signature?: string | undefined }

/** Orders the lanes of a prediction into consecutive blocks. */
export interface BlockOrder {
  /** Gives the steps of an event. The end of the choice also gives the text that was held back. */
  event(event: Exclude<PredictionEvent, { type: 'usage' }>): BlockStep[]
}

type SaidKind = 'text' | 'thinking'

interface Call {
  readonly index: number
  readonly block: BlockKind
  json: string
}

/**
 * Creates an empty order. A call ends only once its arguments are complete, because backends may mix calls; text beside
 * calls comes after them. White space alone begins no block, except when there is no other block: a message has at
 * least one.
 *
 * @param options.showsThinking whether reasoning becomes blocks; otherwise it is left out
 */
export function createBlockOrder({ showsThinking }: { readonly showsThinking: boolean }): BlockOrder {
  let open: SaidKind | Call | undefined
  let blocks = 0
  /** White space that begins a block once other text follows. */
  let space: { readonly kind: SaidKind; text: string } = { kind: 'text', text: '' }
  const waiting: Call[] = []
  const behind: { readonly kind: SaidKind; readonly text: string }[] = []

  function close(): BlockStep[] {
    if (open === undefined) return []
    open = undefined
    return [{ step: 'stop' }]
  }

  function begin(next: SaidKind | Call): BlockStep[] {
    const block: BlockKind = typeof next === 'string' ? { type: next } : next.block
    const steps: BlockStep[] = [...close(), { step: 'start', block }]
    blocks += 1
    open = next
    return steps
  }

  function piece(text: string): BlockStep[] {
    return text === '' ? [] : [{ step: 'piece', text }]
  }

  function say(kind: SaidKind, text: string): BlockStep[] {
    if (typeof open === 'object') {
      behind.push({ kind, text })
      return []
    }
    if (open === kind) return piece(text)
    const lead = space.kind === kind ? space.text + text : text
    space = { kind, text: lead }
    if (lead.trim() === '') return []
    space = { kind, text: '' }
    return [...begin(kind), ...piece(lead)]
  }

  /** Ends the open thought; a thought without text is one of its own. */
  function sign(signature: string): BlockStep[] {
    const steps = open === 'thinking' ? [] : begin('thinking')
    open = undefined
    return [...steps, { step: 'stop', signature }]
  }

  function addRedacted(data: string): BlockStep[] {
    blocks += 1
    return [...close(), { step: 'start', block: { type: 'redacted_thinking', data } }, { step: 'stop' }]
  }

  function beginCall(call: Call): BlockStep[] {
    if (typeof open === 'object' && !isWhole(open.json)) {
      waiting.push(call)
      return []
    }
    return begin(call)
  }

  function addArguments(index: number, text: string): BlockStep[] {
    const current = typeof open === 'object' ? open : undefined
    if (current?.index !== index) {
      const call = waiting.find((one) => one.index === index)
      if (call !== undefined) call.json += text
      return []
    }
    current.json += text
    return [...piece(text), ...nextCalls()]
  }

  /** Opens waiting calls while those before them are complete. */
  function nextCalls(): BlockStep[] {
    const steps: BlockStep[] = []
    while (waiting.length > 0 && typeof open === 'object' && isWhole(open.json)) {
      const call = waiting.shift()
      if (call !== undefined) steps.push(...begin(call), ...piece(call.json))
    }
    return steps
  }

  function end(): BlockStep[] {
    const steps = close()
    for (const call of waiting.splice(0)) steps.push(...begin(call), ...piece(call.json), ...close())
    for (const { kind, text } of behind.splice(0)) steps.push(...say(kind, text))
    if (blocks === 0) steps.push(...begin('text'), ...piece(space.kind === 'text' ? space.text : ''))
    return [...steps, ...close()]
  }

  return {
    event(event) {
      switch (event.type) {
        case 'text-delta':
          return say('text', event.text)
        case 'reasoning-delta':
          return showsThinking ? say('thinking', event.text) : []
        case 'reasoning-signature':
          return showsThinking && typeof open !== 'object' ? sign(event.signature) : []
        case 'redacted-reasoning':
          return showsThinking && typeof open !== 'object' ? addRedacted(event.data) : []
        case 'tool-call-start': {
          const { index, id, name } = event
          return beginCall({ index, block: { type: 'tool_use', id, name }, json: '' })
        }
        case 'tool-call-delta':
          return addArguments(event.index, event.arguments)
        case 'choice-end':
          return end()
      }
    },
  }
}

/** Whether arguments are a complete object. Called as rarely as possible, because they may be long. */
function isWhole(json: string): boolean {
  return json.trimEnd().endsWith('}') && isJson(json)
}
