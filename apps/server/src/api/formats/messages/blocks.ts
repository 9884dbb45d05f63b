import type { PredictionEvent } from '../../../inference/core/events.ts'
import { isJson } from '../../../inference/prediction/check-answer.ts'
import { toInput } from './call-input.ts'

/** A block at its start. */
export type BlockKind =
  | { readonly type: 'text' }
  | { readonly type: 'thinking' }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string }
  | {
      readonly type: 'mcp_tool_use'
      readonly id: string
      readonly name: string
      readonly server_name: string
      readonly input: Record<string, unknown>
    }
  | {
      readonly type: 'mcp_tool_result'
      readonly tool_use_id: string
      readonly is_error: boolean
      readonly content: { type: 'text'; text: string }[]
    }

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

/**
 * Creates an empty order. A call ends only once its arguments are complete, because backends may mix calls; text beside
 * calls comes after them. White space begins a block only when there is no other block: a message has at least one.
 *
 * @param options.showsThinking whether reasoning becomes blocks; otherwise it is left out
 */
export function createBlockOrder({ showsThinking }: { readonly showsThinking: boolean }): BlockOrder {
  const sequence = createBlockSequence()
  const texts = createTextBlocks(sequence)
  const calls = createCallBlocks(sequence)
  /** Number of calls that wait for consent. */
  let waits = 0
  return {
    event(event) {
      switch (event.type) {
        case 'text-delta':
          return texts.add('text', event.text)
        case 'reasoning-delta':
          return showsThinking ? texts.add('thinking', event.text) : []
        case 'reasoning-signature':
          return showsThinking && sequence.openCall === undefined ? texts.sign(event.signature) : []
        case 'redacted-reasoning':
          return showsThinking && sequence.openCall === undefined
            ? sequence.addWhole({ type: 'redacted_thinking', data: event.data })
            : []
        case 'tool-call-start': {
          const { index, id, name } = event
          return calls.begin({ index, block: { type: 'tool_use', id, name }, json: '' })
        }
        case 'tool-call-delta':
          return calls.addArguments(event.index, event.arguments)
        case 'server-tools':
          return []
        case 'server-tool-call':
          return [...sequence.close(), ...calls.end(), ...texts.flush(), ...sequence.addWhole(toServerUse(event))]
        case 'server-tool-result':
          return sequence.addWhole(toServerResult(event))
        case 'server-tool-approval': {
          const { id, name } = event
          waits += 1
          const begun = calls.begin({ index: -waits, block: { type: 'tool_use', id, name }, json: '' })
          return [...begun, ...calls.addArguments(-waits, event.arguments)]
        }
        case 'choice-end':
          return [...sequence.close(), ...calls.end(), ...texts.end()]
      }
    },
  }
}

type EventOf<Type extends PredictionEvent['type']> = Extract<PredictionEvent, { type: Type }>

function toServerUse({ id, name, server, arguments: args }: EventOf<'server-tool-call'>): BlockKind {
  return { type: 'mcp_tool_use', id, name, server_name: server, input: toInput(args) }
}

function toServerResult({ id, output, isError }: EventOf<'server-tool-result'>): BlockKind {
  return { type: 'mcp_tool_result', tool_use_id: id, is_error: isError, content: [{ type: 'text', text: output }] }
}

type TextKind = 'text' | 'thinking'

interface Call {
  readonly index: number
  readonly block: BlockKind
  json: string
}

/** The blocks of a message, of which the last one may be open. */
interface BlockSequence {
  readonly open: TextKind | Call | undefined
  readonly openCall: Call | undefined
  readonly isEmpty: boolean
  /** Closes the open block and begins another one. */
  begin(next: TextKind | Call): BlockStep[]
  /** Adds a block that never grows. */
  addWhole(block: BlockKind): BlockStep[]
  close(): BlockStep[]
  /** Closes an open thought with its signature. */
  closeSigned(signature: string): BlockStep[]
}

function createBlockSequence(): BlockSequence {
  let open: TextKind | Call | undefined
  let isEmpty = true

  function close(): BlockStep[] {
    if (open === undefined) return []
    open = undefined
    return [{ step: 'stop' }]
  }

  function start(block: BlockKind): BlockStep[] {
    isEmpty = false
    return [...close(), { step: 'start', block }]
  }

  return {
    get open() {
      return open
    },
    get openCall() {
      return typeof open === 'object' ? open : undefined
    },
    get isEmpty() {
      return isEmpty
    },
    begin(next) {
      const steps = start(typeof next === 'string' ? { type: next } : next.block)
      open = next
      return steps
    },
    addWhole: (block) => [...start(block), { step: 'stop' }],
    close,
    closeSigned(signature) {
      open = undefined
      return [{ step: 'stop', signature }]
    },
  }
}

/** The blocks of texts and thoughts. */
interface TextBlocks {
  add(kind: TextKind, text: string): BlockStep[]
  /** Ends the open thought. A signature without an open thought gets a thought without text. */
  sign(signature: string): BlockStep[]
  /** Gives the text that waited for the end of the calls. */
  flush(): BlockStep[]
  /** Gives the text that waited for the end of the calls, and a block if there was none. */
  end(): BlockStep[]
}

function createTextBlocks(sequence: BlockSequence): TextBlocks {
  /** White space that begins a block once other text follows. */
  let space: { readonly kind: TextKind; readonly text: string } = { kind: 'text', text: '' }
  const behind: { readonly kind: TextKind; readonly text: string }[] = []

  function add(kind: TextKind, text: string): BlockStep[] {
    if (sequence.openCall !== undefined) {
      behind.push({ kind, text })
      return []
    }
    if (sequence.open === kind) return toPieces(text)
    const lead = space.kind === kind ? space.text + text : text
    const isBlank = lead.trim() === ''
    space = { kind, text: isBlank ? lead : '' }
    return isBlank ? [] : [...sequence.begin(kind), ...toPieces(lead)]
  }

  return {
    add,
    sign(signature) {
      const steps = sequence.open === 'thinking' ? [] : sequence.begin('thinking')
      return [...steps, ...sequence.closeSigned(signature)]
    },
    flush: () => behind.splice(0).flatMap(({ kind, text }) => add(kind, text)),
    end() {
      const steps = behind.splice(0).flatMap(({ kind, text }) => add(kind, text))
      if (sequence.isEmpty) steps.push(...sequence.begin('text'), ...toPieces(space.kind === 'text' ? space.text : ''))
      return [...steps, ...sequence.close()]
    },
  }
}

/** The blocks of calls. A call waits while the one before it is incomplete. */
interface CallBlocks {
  begin(call: Call): BlockStep[]
  addArguments(index: number, text: string): BlockStep[]
  /** Gives the calls that waited. */
  end(): BlockStep[]
}

function createCallBlocks(sequence: BlockSequence): CallBlocks {
  const waiting: Call[] = []

  function isIncomplete(call: Call | undefined): boolean {
    return call !== undefined && !isWhole(call.json)
  }

  /** Opens waiting calls while those before them are complete. */
  function nextCalls(): BlockStep[] {
    const steps: BlockStep[] = []
    while (waiting.length > 0 && sequence.openCall !== undefined && !isIncomplete(sequence.openCall)) {
      const call = waiting.shift()
      if (call !== undefined) steps.push(...sequence.begin(call), ...toPieces(call.json))
    }
    return steps
  }

  return {
    begin(call) {
      if (!isIncomplete(sequence.openCall)) return sequence.begin(call)
      waiting.push(call)
      return []
    },
    addArguments(index, text) {
      const current = sequence.openCall
      if (current?.index === index) {
        current.json += text
        return [...toPieces(text), ...nextCalls()]
      }
      const call = waiting.find((one) => one.index === index)
      if (call !== undefined) call.json += text
      return []
    },
    end: () =>
      waiting.splice(0).flatMap((call) => [...sequence.begin(call), ...toPieces(call.json), ...sequence.close()]),
  }
}

function toPieces(text: string): BlockStep[] {
  return text === '' ? [] : [{ step: 'piece', text }]
}

/** Whether arguments are a complete object. Called as rarely as possible, because they may be long. */
function isWhole(json: string): boolean {
  return json.trimEnd().endsWith('}') && isJson(json)
}
