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

/** An event before it gets its number. */
export type Unnumbered = ResponseEvent extends infer Event
  ? Event extends ResponseEvent
    ? Omit<Event, 'sequence_number'> & { readonly type: Event['type'] }
    : never
  : never

/** Output items that grow with the events of a prediction. */
export interface Output {
  readonly items: readonly ResponseOutputItem[]
  /** Gives the client's events for an event. */
  add(event: Exclude<PredictionEvent, { readonly type: 'usage' }>): Unnumbered[]
  /** Ends all open items. */
  end(status: 'completed' | 'incomplete'): Unnumbered[]
}

/** A growing item with its place in the output. */
interface Open<Item> {
  readonly index: number
  readonly item: Item
  text: string
  readonly logprobs: ResponseLogprob[]
}

/**
 * Creates the output of one response. Reasoning and messages follow each other; calls stay open until the end, because
 * a backend may write several at a time.
 */
export function createOutput(): Output {
  const items: ResponseOutputItem[] = []
  const calls = new Map<number, Open<ResponseOutputCall>>()
  let message: Open<ResponseOutputMessage> | undefined
  let reasoning: Open<ResponseOutputReasoning> | undefined
  /** White space after a call; a message only if other text follows. */
  let blanks = ''

  function open<Item extends ResponseOutputItem>(item: Item): Open<Item> {
    items.push(item)
    return { index: items.length - 1, item, text: '', logprobs: [] }
  }

  function close<Item extends ResponseOutputItem>({ index }: Open<Item>, item: Item): Unnumbered {
    items[index] = item
    return { type: 'response.output_item.done', output_index: index, item }
  }

  function addText(text: string, logprobs: readonly TokenLogprob[] = []): Unnumbered[] {
    const events = endReasoning('completed')
    if (message === undefined) {
      if (calls.size > 0 && (blanks + text).trim() === '') {
        blanks += text
        return events
      }
      message = open({
        type: 'message',
        id: newItemId('message'),
        status: 'in_progress',
        role: 'assistant',
        content: [],
      })
      const { index, item } = message
      events.push(
        { type: 'response.output_item.added', output_index: index, item },
        {
          type: 'response.content_part.added',
          item_id: item.id,
          output_index: index,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
        },
      )
    }
    const delta = blanks + text
    blanks = ''
    const entries = logprobs.map(toWireLogprob)
    message.text += delta
    message.logprobs.push(...entries)
    events.push({
      type: 'response.output_text.delta',
      item_id: message.item.id,
      output_index: message.index,
      content_index: 0,
      delta,
      logprobs: entries,
    })
    return events
  }

  function addThought(delta: string): Unnumbered[] {
    const events = endMessage('completed')
    if (reasoning === undefined) {
      reasoning = open({ type: 'reasoning', id: newItemId('reasoning'), status: 'in_progress', summary: [] })
      const { index, item } = reasoning
      events.push(
        { type: 'response.output_item.added', output_index: index, item },
        {
          type: 'response.content_part.added',
          item_id: item.id,
          output_index: index,
          content_index: 0,
          part: { type: 'reasoning_text', text: '' },
        },
      )
    }
    reasoning.text += delta
    const { index, item } = reasoning
    events.push({
      type: 'response.reasoning_text.delta',
      item_id: item.id,
      output_index: index,
      content_index: 0,
      delta,
    })
    return events
  }

  function startCall(number: number, id: string, name: string): Unnumbered[] {
    const call = open<ResponseOutputCall>({
      type: 'function_call',
      id: newItemId('function_call'),
      status: 'in_progress',
      call_id: id,
      name,
      arguments: '',
    })
    calls.set(number, call)
    return [{ type: 'response.output_item.added', output_index: call.index, item: call.item }]
  }

  function addArguments(number: number, delta: string): Unnumbered[] {
    const call = calls.get(number)
    if (call === undefined) return []
    call.text += delta
    const { index, item } = call
    return [{ type: 'response.function_call_arguments.delta', item_id: item.id, output_index: index, delta }]
  }

  function endReasoning(status: 'completed' | 'incomplete'): Unnumbered[] {
    if (reasoning === undefined) return []
    const ended = reasoning
    reasoning = undefined
    const { index, item, text } = ended
    const place = { item_id: item.id, output_index: index, content_index: 0 }
    const part = { type: 'reasoning_text' as const, text }
    return [
      { type: 'response.reasoning_text.done', ...place, text },
      { type: 'response.content_part.done', ...place, part },
      close(ended, { ...item, status, content: [part] }),
    ]
  }

  function endMessage(status: 'completed' | 'incomplete'): Unnumbered[] {
    if (message === undefined) return []
    const ended = message
    message = undefined
    const { index, item, text, logprobs } = ended
    const place = { item_id: item.id, output_index: index, content_index: 0 }
    const part = { type: 'output_text' as const, text, annotations: [], logprobs }
    return [
      { type: 'response.output_text.done', ...place, text, logprobs },
      { type: 'response.content_part.done', ...place, part },
      close(ended, { ...item, status, content: [part] }),
    ]
  }

  function endCalls(status: 'completed' | 'incomplete'): Unnumbered[] {
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
        close(call, { ...item, arguments: text, status: position < open.length - 1 ? 'completed' : status }),
      ]
    })
  }

  return {
    items,
    add(event) {
      switch (event.type) {
        case 'text-delta':
          return event.text === '' && event.logprobs === undefined ? [] : addText(event.text, event.logprobs)
        case 'reasoning-delta':
          return addThought(event.text)
        case 'reasoning-signature':
        case 'redacted-reasoning':
          return []
        case 'tool-call-start':
          return [
            ...endReasoning('completed'),
            ...endMessage('completed'),
            ...startCall(event.index, event.id, event.name),
          ]
        case 'tool-call-delta':
          return addArguments(event.index, event.arguments)
        case 'choice-end':
          return []
      }
    },
    end(status) {
      const empty = items.length === 0 ? addText('') : []
      return [...empty, ...endReasoning(status), ...endMessage(status), ...endCalls(status)]
    },
  }
}

function toWireLogprob({ top_logprobs, ...entry }: TokenLogprob): ResponseLogprob {
  return { ...toAlternative(entry), top_logprobs: top_logprobs.map(toAlternative) }
}

function toAlternative({ token, logprob, bytes }: Omit<TokenLogprob, 'top_logprobs'>) {
  return { token, logprob, bytes: [...(bytes ?? [])] }
}
