import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
  await server.model('brain', { rules: [{ rpc: 'Predict*', do: { text: 'Hello to you. How are you?' } }] })
  await server.model('mouth', { rules: [] }, { known_usecases: ['tts'] })
  await server.model('ear', { rules: [] }, { known_usecases: ['transcript'] })
  await server.writeModelFile('talk.yaml', 'name: talk\npipeline: { llm: brain, tts: mouth, transcription: ear }\n')
})
afterAll(() => server[Symbol.asyncDispose]())

type Event = { readonly type: string; readonly [field: string]: unknown }

async function open(query = '?model=talk', protocols: string[] = []) {
  const ws = new WebSocket(`${server.url.replace('http', 'ws')}/v1/realtime${query}`, protocols)
  const heard: Event[] = []
  ws.on('message', (data) => heard.push(JSON.parse(String(data)) as Event))
  const closed = new Promise<number>((resolve) => ws.once('close', resolve))
  await new Promise((resolve, reject) => ws.once('open', resolve).once('error', reject))
  return {
    ws,
    heard,
    closed,
    send: (event: object) => ws.send(JSON.stringify(event)),
    until: (type: string) =>
      eventually(() => {
        const at = heard.findIndex((event) => event.type === type)
        if (at === -1) throw new Error(`no ${type} after ${JSON.stringify(heard).slice(0, 3000)}`)
        return heard.splice(0, at + 1)
      }),
    async [Symbol.asyncDispose]() {
      ws.terminate()
      await closed
    },
  }
}

const TEXT = { type: 'realtime', output_modalities: ['text'] }
const hello = {
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
}

describe('GET /v1/realtime', () => {
  it('answers text with speech, and committed sound with text', async () => {
    await using socket = await open()
    const [created] = await socket.until('session.created')
    expect(created).toMatchObject({ session: { model: 'talk', output_modalities: ['audio'] } })
    socket.send(hello)
    socket.send({ type: 'response.create' })
    const spoken = await socket.until('response.done')
    expect(spoken.filter(({ type }) => type === 'response.output_audio.delta').length).toBeGreaterThan(1)
    expect(spoken.at(-1)).toMatchObject({
      response: {
        status: 'completed',
        output: [{ content: [{ type: 'output_audio', transcript: 'Hello to you. How are you?' }] }],
      },
    })
    socket.send({ type: 'session.update', session: TEXT })
    socket.ws.send(Buffer.alloc(24_000))
    socket.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(24_000).toString('base64') })
    socket.send({ type: 'input_audio_buffer.commit' })
    socket.send({ type: 'response.create' })
    const written = await socket.until('response.done')
    const completed = written.find(({ type }) => type.endsWith('input_audio_transcription.completed'))
    expect(completed).toMatchObject({ transcript: 'This is a mocked transcription.' })
    expect(completed?.usage).toMatchObject({ type: 'duration', seconds: expect.closeTo(1, 1) })
    expect(written.at(-1)).toMatchObject({ response: { output: [{ content: [{ type: 'output_text' }] }] } })
  })
})
