/** An event a client sees. */
export interface SeenSseEvent {
  readonly event?: string
  readonly data: string
  readonly id?: string
}

/** A reply whose body can be read: of `fetch`, or of `node:http`. */
export type EventSource = { readonly body: AsyncIterable<Uint8Array> | null } | AsyncIterable<Uint8Array>

/**
 * Reads the events of a reply as they arrive. It is independent of the product's codec, so that tests of the product
 * cannot share its mistakes. It is strict: a stream that ends inside an event, or holds a line outside the standard, is
 * an error.
 */
export async function* readSse(source: EventSource): AsyncGenerator<SeenSseEvent, void, undefined> {
  let text = ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of readBytes(source)) {
    text += decoder.decode(chunk, { stream: true })
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const event = parseFrame(frame)
      if (event !== undefined) yield event
    }
  }
  text += decoder.decode()
  if (text !== '') throw new Error(`the stream ended inside an event: ${JSON.stringify(text)}`)
}

/** All events of a reply, once it has ended. */
export async function collectSse(source: EventSource): Promise<SeenSseEvent[]> {
  const events: SeenSseEvent[] = []
  for await (const event of readSse(source)) events.push(event)
  return events
}

function readBytes(source: EventSource): AsyncIterable<Uint8Array> {
  if (Symbol.asyncIterator in source) return source
  if (source.body === null) throw new Error('the reply has no body')
  return source.body
}

function parseFrame(frame: string): SeenSseEvent | undefined {
  const seen: { event?: string; data?: string; id?: string } = {}
  for (const line of frame.split('\n')) {
    const match = /^(?<name>event|data|id|retry)?:(?: (?<spaced>.*)|(?<bare>.*))$/su.exec(line)
    if (match === null) throw new Error(`not a line of an event stream: ${JSON.stringify(line)}`)
    const { name, spaced, bare } = match.groups ?? {}
    const value = spaced ?? bare ?? ''
    if (name === 'data') seen.data = seen.data === undefined ? value : `${seen.data}\n${value}`
    else if (name === 'event' || name === 'id') seen[name] = value
  }
  const { data } = seen
  return data === undefined ? undefined : { ...seen, data }
}
