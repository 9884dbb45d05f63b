import type {
  ResponseEvent,
  ResponseLogprob,
  ResponseOutputCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseOutputReasoning,
} from '@svc/wire/responses'
import type { PredictionEvent, TokenLogprob } from '../../../inference/core/events.ts'
import { newItemId } from './ids.ts'
import { createItemList, type ItemList, type Open, type Unnumbered } from './item-list.ts'
import { createServerItems, type ServerItemOptions } from './server-items.ts'

/** Output items that grow with the events of a prediction. */
export interface Output {
  readonly items: readonly ResponseOutputItem[]
  /** Gives the client's events for an event. */
  add(event: Exclude<PredictionEvent, { readonly type: 'usage' }>): Unnumbered[]
  /** Ends all open items. */
  end(status: 'completed' | 'incomplete'): Unnumbered[]
}

/** What a request decides about its output. */
export interface OutputOptions extends ServerItemOptions {}

type EndStatus = 'completed' | 'incomplete'

/**
 * Creates the output of one response. Reasoning and messages follow each other; calls stay open until the end, because
 * a backend may write several at a time.
 */
export function createOutput(options: OutputOptions): Output {
  const list = createItemList()
  const served = createServerItems(list, options)
  const reasoning = createReasoning(list)
  const messages = createMessages(list)
  const calls = createCalls(list)
  /** White space after a call; a message only if other text follows. */
  let blanks = ''

  function addText(text: string, logprobs?: readonly TokenLogprob[]): Unnumbered[] {
    const ended = reasoning.end('completed')
    const delta = blanks + text
    const waits = !messages.isOpen && calls.areOpen && delta.trim() === ''
    blanks = waits ? delta : ''
    return waits ? ended : [...ended, ...messages.add(delta, logprobs)]
  }

  return {
    items: list.items,
    add(event) {
      switch (event.type) {
        case 'text-delta':
          return event.text === '' && event.logprobs === undefined ? [] : addText(event.text, event.logprobs)
        case 'reasoning-delta':
          return [...messages.end('completed'), ...reasoning.add(event.text)]
        case 'reasoning-signature':
        case 'redacted-reasoning':
          return []
        case 'tool-call-start':
          return [...reasoning.end('completed'), ...messages.end('completed'), ...calls.start(event)]
        case 'tool-call-delta':
          return calls.add(event.index, event.arguments)
        case 'server-tools':
        case 'server-tool-call':
        case 'server-tool-result':
        case 'server-tool-approval':
          return [...reasoning.end('completed'), ...messages.end('completed'), ...served.add(event)]
        case 'choice-end':
          return []
      }
    },
    end(status) {
      const empty = list.items.length === 0 ? addText('') : []
      return [...empty, ...reasoning.end(status), ...messages.end(status), ...calls.end(status), ...served.end()]
    },
  }
}

/** The reasoning items of an output. At most one is open. */
interface Reasoning {
  add(delta: string): Unnumbered[]
  end(status: EndStatus): Unnumbered[]
}

function createReasoning(list: ItemList): Reasoning {
  let current: Open<ResponseOutputReasoning> | undefined

  function begin(): { readonly opened: Open<ResponseOutputReasoning>; readonly events: Unnumbered[] } {
    const opened = list.open<ResponseOutputReasoning>({
      type: 'reasoning',
      id: newItemId('reasoning'),
      status: 'in_progress',
      summary: [],
    })
    return { opened, events: toStartEvents(opened, { type: 'reasoning_text', text: '' }) }
  }

  return {
    add(delta) {
      const { opened, events } = current === undefined ? begin() : { opened: current, events: [] }
      current = opened
      opened.text += delta
      return [...events, { type: 'response.reasoning_text.delta', ...toPlace(opened), delta }]
    },
    end(status) {
      if (current === undefined) return []
      const ended = current
      current = undefined
      const { item, text } = ended
      const part = { type: 'reasoning_text' as const, text }
      return [
        { type: 'response.reasoning_text.done', ...toPlace(ended), text },
        { type: 'response.content_part.done', ...toPlace(ended), part },
        list.close(ended, { ...item, status, content: [part] }),
      ]
    },
  }
}

/** The messages of an output. At most one is open. */
interface Messages {
  readonly isOpen: boolean
  add(delta: string, logprobs?: readonly TokenLogprob[]): Unnumbered[]
  end(status: EndStatus): Unnumbered[]
}

function createMessages(list: ItemList): Messages {
  let current: Open<ResponseOutputMessage> | undefined
  let logprobs: ResponseLogprob[] = []

  function begin(): { readonly opened: Open<ResponseOutputMessage>; readonly events: Unnumbered[] } {
    logprobs = []
    const opened = list.open<ResponseOutputMessage>({
      type: 'message',
      id: newItemId('message'),
      status: 'in_progress',
      role: 'assistant',
      content: [],
    })
    return { opened, events: toStartEvents(opened, { type: 'output_text', text: '', annotations: [], logprobs: [] }) }
  }

  return {
    get isOpen() {
      return current !== undefined
    },
    add(delta, added = []) {
      const { opened, events } = current === undefined ? begin() : { opened: current, events: [] }
      current = opened
      opened.text += delta
      const entries = added.map(toWireLogprob)
      logprobs.push(...entries)
      return [...events, { type: 'response.output_text.delta', ...toPlace(opened), delta, logprobs: entries }]
    },
    end(status) {
      if (current === undefined) return []
      const ended = current
      current = undefined
      const { item, text } = ended
      const part = { type: 'output_text' as const, text, annotations: [], logprobs }
      return [
        { type: 'response.output_text.done', ...toPlace(ended), text, logprobs },
        { type: 'response.content_part.done', ...toPlace(ended), part },
        list.close(ended, { ...item, status, content: [part] }),
      ]
    },
  }
}

/** The open calls of an output, by their number in the prediction. */
interface Calls {
  readonly areOpen: boolean
  start(call: Extract<PredictionEvent, { readonly type: 'tool-call-start' }>): Unnumbered[]
  add(number: number, delta: string): Unnumbered[]
  end(status: EndStatus): Unnumbered[]
}

function createCalls(list: ItemList): Calls {
  const calls = new Map<number, Open<ResponseOutputCall>>()
  return {
    get areOpen() {
      return calls.size > 0
    },
    start({ index: number, id, name }) {
      const call = list.open<ResponseOutputCall>({
        type: 'function_call',
        id: newItemId('function_call'),
        status: 'in_progress',
        call_id: id,
        name,
        arguments: '',
      })
      calls.set(number, call)
      return [{ type: 'response.output_item.added', output_index: call.index, item: call.item }]
    },
    add(number, delta) {
      const call = calls.get(number)
      if (call === undefined) return []
      call.text += delta
      const { index, item } = call
      return [{ type: 'response.function_call_arguments.delta', item_id: item.id, output_index: index, delta }]
    },
    end(status) {
      const open = [...calls.values()]
      calls.clear()
      return open.flatMap((call, position): Unnumbered[] => {
        const { index, item, text } = call
        return [
          {
            type: 'response.function_call_arguments.done',
            item_id: item.id,
            output_index: index,
            name: item.name,
            arguments: text,
          },
          // A limit cuts off only the last call.
          list.close(call, { ...item, arguments: text, status: position < open.length - 1 ? 'completed' : status }),
        ]
      })
    },
  }
}

type StartedPart = Extract<ResponseEvent, { readonly part: unknown }>['part']

/** Gives the events of a new item and its only part. */
function toStartEvents(opened: Open<ResponseOutputMessage | ResponseOutputReasoning>, part: StartedPart): Unnumbered[] {
  const { index, item } = opened
  return [
    { type: 'response.output_item.added', output_index: index, item },
    { type: 'response.content_part.added', ...toPlace(opened), part },
  ]
}

/** Gives the place of an item's only part. */
function toPlace({ index, item }: Open<ResponseOutputMessage | ResponseOutputReasoning>) {
  return { item_id: item.id, output_index: index, content_index: 0 }
}

function toWireLogprob({ top_logprobs, ...entry }: TokenLogprob): ResponseLogprob {
  return { ...toAlternative(entry), top_logprobs: top_logprobs.map(toAlternative) }
}

function toAlternative({ token, logprob, bytes }: Omit<TokenLogprob, 'top_logprobs'>) {
  return { token, logprob, bytes: [...(bytes ?? [])] }
}
