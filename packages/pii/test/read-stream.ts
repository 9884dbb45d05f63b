import type { ReplyFormat } from '@svc/pii/reversible'

/** The data of every event, as a client reads it. */
export function readEvents(bytes: Uint8Array): unknown[] {
  return new TextDecoder()
    .decode(bytes)
    .replace(/\r\n?/g, '\n')
    .split('\n\n')
    .flatMap((block) => {
      const lines = block.split('\n').filter((line) => line.startsWith('data:'))
      const data = lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')
      return data === '' || data === '[DONE]' ? [] : [JSON.parse(data) as unknown]
    })
}

interface AnyEvent {
  readonly type?: string
  readonly index?: number
  readonly output_index?: number
  readonly sequence_number?: number
  readonly delta?: unknown
  readonly content_block?: Readonly<Record<string, string>>
  readonly choices?: readonly {
    readonly index: number
    readonly text?: string
    readonly delta?: Readonly<Record<string, string>> & {
      readonly tool_calls?: readonly { readonly index: number; readonly function: { readonly arguments: string } }[]
    }
  }[]
}

/** The text of every lane, as a client puts it together from the deltas. */
export function readLanes(format: ReplyFormat, bytes: Uint8Array): Map<string, string> {
  const lanes = new Map<string, string>()
  const add = (name: string, text: string) => lanes.set(name, (lanes.get(name) ?? '') + text)
  for (const event of readEvents(bytes) as AnyEvent[]) {
    if (format === 'messages') {
      const members = event.content_block ?? (event.delta as Record<string, string> | undefined) ?? {}
      for (const [name, text] of Object.entries(members)) if (name !== 'type') add(`${event.index}/${name}`, text)
    } else if (format === 'responses') {
      const { type = '', delta } = event
      if (type.endsWith('.delta'))
        add(`${event.output_index}/${type.slice('response.'.length, -'.delta'.length)}`, String(delta))
    } else {
      for (const { index, text, delta = {} } of event.choices ?? []) {
        if (text !== undefined) add(`${index}/text`, text)
        const { tool_calls: calls = [], ...texts } = delta
        for (const [name, piece] of Object.entries(texts)) add(`${index}/${name}`, String(piece))
        for (const call of calls) add(`${index}/call ${call.index}`, call.function.arguments)
      }
    }
  }
  return lanes
}
