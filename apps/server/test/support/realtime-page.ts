import OpenAI from 'openai'
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket'

/** What a page of a browser does with the official client. */
export interface RealtimePage {
  /** Makes a client secret for answers by text. */
  makeSecret(options: Server & { readonly apiKey: string }): Promise<string>
  /** Sends a text and asks for an answer to it. It ends with the answer or with the connection. */
  ask(options: Server & { readonly secret: string; readonly text: string }): Promise<PageAnswer>
}

interface Server {
  readonly baseURL: string
  readonly model: string
}

/** What a page has heard. */
export interface PageAnswer {
  /** The types of all events, in order. */
  readonly types: readonly string[]
  readonly text: string
  /** How the connection was closed by the server; undefined where it was not. */
  readonly closed: { readonly code: number; readonly wasOpen: boolean } | undefined
  readonly errors: readonly string[]
}

const page: RealtimePage = {
  async makeSecret({ baseURL, model, apiKey }) {
    const client = new OpenAI({ baseURL, apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 })
    const session = { type: 'realtime' as const, model, output_modalities: ['text' as const] }
    return (await client.realtime.clientSecrets.create({ session })).value
  },
  ask({ baseURL, model, secret, text }) {
    const client = new OpenAI({ baseURL, apiKey: secret, dangerouslyAllowBrowser: true, maxRetries: 0 })
    const realtime = new OpenAIRealtimeWebSocket({ model }, client)
    const types: string[] = []
    const errors: string[] = []
    let said = ''
    let wasOpen = false
    realtime.on('error', (error) => errors.push(error.message))
    realtime.on('event', ({ type }) => types.push(type))
    realtime.on('response.output_text.delta', ({ delta }) => {
      said += delta
    })
    realtime.on('session.created', () => {
      const content = [{ type: 'input_text', text } as const]
      realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
      realtime.send({ type: 'response.create' })
    })
    realtime.socket.addEventListener('open', () => {
      wasOpen = true
    })
    return new Promise((resolve) => {
      realtime.on('response.done', () => {
        realtime.close()
        resolve({ types, text: said, closed: undefined, errors })
      })
      realtime.socket.addEventListener('close', ({ code }) =>
        resolve({ types, text: said, closed: { code, wasOpen }, errors }),
      )
    })
  },
}
Reflect.set(globalThis, 'realtimePage', page)
