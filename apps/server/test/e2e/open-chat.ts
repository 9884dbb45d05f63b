import { eventually, readSse } from '@svc/test-kit'

/** A streamed chat that a test follows while it runs. */
export interface OpenChat {
  /** The data of its events so far, parsed except `[DONE]`. */
  readonly events: readonly unknown[]
  /** Text of its deltas so far. */
  text(): string
  /** Resolves when this many deltas with text have arrived. */
  hasText(pieces: number): Promise<void>
  /** Resolves at its end: `whole` when the server ended the stream, `cut` when the connection broke. */
  readonly ended: Promise<'whole' | 'cut'>
  /** Closes the connection. */
  leave(): void
}

/** Sends one chat. */
export function postChat(url: string, model: string, extra: Readonly<Record<string, unknown>> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, toRequest(model, extra))
}

/** Gives the text of a whole chat with one choice. */
export async function readAnswer(response: Response): Promise<string> {
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  const body: unknown = await response.json()
  return readContent(body, 'message')
}

/** Starts a streamed chat; it may fail later, even before its first byte. */
export function openChat(url: string, model: string, extra: Readonly<Record<string, unknown>> = {}): OpenChat {
  const events: unknown[] = []
  const left = new AbortController()
  async function read(): Promise<'whole' | 'cut'> {
    try {
      const reply = await fetch(`${url}/v1/chat/completions`, {
        ...toRequest(model, { ...extra, stream: true }),
        signal: left.signal,
      })
      if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`)
      for await (const { data } of readSse(reply)) events.push(data === '[DONE]' ? data : JSON.parse(data))
      return 'whole'
    } catch {
      return 'cut'
    }
  }
  const pieces = (): string[] => events.map((event) => readContent(event, 'delta')).filter((text) => text !== '')
  return {
    events,
    text: () => pieces().join(''),
    async hasText(count) {
      await eventually(() => {
        if (pieces().length < count) throw new Error(`${pieces().length} of ${count} pieces: ${JSON.stringify(events)}`)
      })
    },
    ended: read(),
    leave: () => left.abort(),
  }
}

function toRequest(model: string, extra: Readonly<Record<string, unknown>>): RequestInit {
  const body = { model, messages: [{ role: 'user', content: 'Hello!' }], ...extra }
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Gives the text at `choices[0].message.content` or `choices[0].delta.content`; empty when it is missing. */
function readContent(value: unknown, place: 'message' | 'delta'): string {
  const content = at(at(at(at(value, 'choices'), '0'), place), 'content')
  return typeof content === 'string' ? content : ''
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
