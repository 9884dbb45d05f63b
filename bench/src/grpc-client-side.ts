// One client under measurement, in a process of its own: runs a round each time its parent asks.
import { connect } from 'node:http2'
import { createBackendClient, pushReplies } from '@svc/backend-client'
import { encodeMessage, type MessageType, PredictOptions } from '@svc/backend-client/proto'

/** A round: so many calls of a kind, `lanes` of them at a time. */
export interface Round {
  readonly kind: 'unary' | 'stream-together' | 'stream-turns'
  readonly calls: number
  readonly lanes: number
}

/** Processor time of a round, and the replies that came, so that all sides can be shown to have got the same. */
export interface RoundFigures {
  readonly cpuUs: number
  readonly replies: number
}

const [side = '', port = '', frameBytes = ''] = process.argv.slice(2)
const PATHS = { unary: '/backend.Backend/Predict', stream: '/backend.Backend/PredictStream' }

/** The request of a small chat. */
const REQUEST = {
  Seed: -1,
  Threads: 4,
  Tokens: 256,
  TopK: 40,
  TopP: 0.95,
  Temperature: 0.7,
  Penalty: 1.1,
  MMap: true,
  UseTokenizerTemplate: true,
  Messages: [
    { role: 'system', content: 'You are a helpful assistant.' },
    { role: 'user', content: 'Tell me about the weather in the mountains, please. '.repeat(4) },
  ],
  StopPrompts: ['</s>', '<|im_end|>'],
  CorrelationId: '6f1d2c3b-9a8e-4f57-8a51-0c2d3e4f5a6b',
  ModelIdentity: 'demo.gguf',
}

/** Makes one call and gives the number of replies. */
type Call = (kind: Round['kind'], metadata: Record<string, string>) => Promise<number>

function createBare(): Call {
  const session = connect(`http://127.0.0.1:${port}`)
  const type: MessageType<PredictOptions> = PredictOptions
  const message = encodeMessage(type, type.fromPartial(REQUEST))
  const frame = Buffer.concat([Buffer.alloc(5), message])
  frame.writeUInt32BE(message.length, 1)
  return (kind, metadata) =>
    new Promise((resolve, reject) => {
      const path = kind === 'unary' ? PATHS.unary : PATHS.stream
      const stream = session.request({ ...metadata, ':method': 'POST', ':path': path, te: 'trailers' })
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      stream.on('end', () => resolve(bytes / Number(frameBytes)))
      stream.on('error', reject)
      stream.end(frame)
    })
}

function createPulling(): Call {
  const client = createBackendClient({ address: `127.0.0.1:${port}` })
  return async (kind, metadata) => {
    if (kind === 'unary') {
      await client.predict(REQUEST, { metadata })
      return 1
    }
    let replies = 0
    for await (const _ of client.predictStream(REQUEST, { metadata })) replies += 1
    return replies
  }
}

function createPushing(): Call {
  const client = createBackendClient({ address: `127.0.0.1:${port}` })
  return (_kind, metadata) =>
    new Promise((resolve, reject) => {
      let replies = 0
      pushReplies(client.predictStream(REQUEST, { metadata }), {
        onReplies: (batch) => {
          replies += batch.length
        },
        onEnd: (error) => (error === undefined ? resolve(replies) : reject(error)),
      })
    })
}

const SIDES: Readonly<Record<string, () => Call>> = {
  bare: createBare,
  own: createPulling,
  'own, pushed': createPushing,
}

async function run(call: Call, { kind, calls, lanes }: Round): Promise<RoundFigures> {
  const metadata: Record<string, string> = kind === 'stream-turns' ? { 'x-bench-pace': 'turns' } : {}
  let left = calls
  let replies = 0
  const begun = process.cpuUsage()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (left > 0) {
        left -= 1
        const got = await call(kind, metadata)
        replies += got
      }
    }),
  )
  const { user, system } = process.cpuUsage(begun)
  return { cpuUs: user + system, replies }
}

const call = SIDES[side]?.()
if (call === undefined) throw new Error(`no side ${side}`)
process.on('message', (round: Round) => {
  void run(call, round).then((figures) => process.send?.(figures))
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
