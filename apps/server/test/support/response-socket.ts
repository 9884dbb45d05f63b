import { eventually } from '@svc/test-kit'
import { type ResponseEvent, type ResponseResource, responseEvent } from '@svc/wire/responses'
import { type ClientOptions, WebSocket } from 'ws'

/** The refusal of a message of a socket. */
export interface SocketRefusal {
  readonly type: 'error'
  readonly status: number
  readonly error: {
    readonly type: string
    readonly code: string | null
    readonly message: string
    readonly param: string | null
  }
}

/** A client of the WebSocket mode of `/v1/responses`. */
export interface ResponseSocket extends AsyncDisposable {
  readonly ws: WebSocket
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** All received messages, parsed. */
  readonly heard: readonly unknown[]
  readonly closed: Promise<number>
  send(message: unknown): void
  /** Requests a response of the model `m`, without waiting for it. */
  ask(fields?: object): void
  /** Reads the events of the next response, or of its refusal. */
  answer(): Promise<readonly ResponseEvent[]>
  /** {@link ask}, then the response of the answer. */
  create(fields?: object): Promise<ResponseResource>
  /** Reads the refusal of the last message. */
  refusal(): Promise<SocketRefusal>
}

const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

function isRefusal(message: unknown): message is SocketRefusal {
  return typeof message === 'object' && message !== null && 'error' in message && 'status' in message
}

/** Opens a socket and waits until it is open. */
export async function openResponseSocket(url: string, options: ClientOptions = {}): Promise<ResponseSocket> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, options)
  const heard: unknown[] = []
  let read = 0
  ws.on('message', (data) => heard.push(JSON.parse(String(data))))
  const closed = new Promise<number>((resolve) => {
    ws.once('close', (code) => resolve(code))
  })
  const headers = await new Promise<ResponseSocket['headers']>((resolve, reject) => {
    ws.once('error', reject)
    ws.once('upgrade', (reply) => ws.once('open', () => resolve(reply.headers)))
  })
  ws.on('error', () => undefined)
  const send = (message: unknown): void => ws.send(typeof message === 'string' ? message : JSON.stringify(message))
  const ask = (fields: object = {}): void =>
    send({ type: 'response.create', model: 'm', input: 'Hello there', ...fields })
  const next = async (): Promise<unknown> => {
    await eventually(() => {
      if (heard.length <= read) throw new Error(`heard ${heard.length} messages, then no more`)
    })
    return heard[read++]
  }
  async function answer(): Promise<ResponseEvent[]> {
    const events: ResponseEvent[] = []
    for (;;) {
      const message = await next()
      if (isRefusal(message)) throw new Error(`refused: ${JSON.stringify(message)}`)
      const event = responseEvent.parse(message)
      events.push(event)
      if (LAST.has(event.type)) return events
    }
  }
  return {
    ws,
    headers,
    heard,
    closed,
    send,
    ask,
    answer,
    async create(fields) {
      ask(fields)
      const last = (await answer()).at(-1)
      if (last === undefined || !('response' in last)) throw new Error('no response')
      return last.response as ResponseResource
    },
    async refusal() {
      const message = await next()
      if (!isRefusal(message)) throw new Error(`not refused: ${JSON.stringify(message)}`)
      return message
    },
    async [Symbol.asyncDispose]() {
      ws.terminate()
      await closed
    },
  }
}
