import { Client, credentials } from '@grpc/grpc-js'
import { backendMethods, EmbeddingResult, Reply } from '@svc/backend-client/proto'
import { describe, expect, it } from 'vitest'
import { GRPC_STATUS, type HostileReply, type RpcName, startHostileBackend } from './hostile-backend.ts'
import {
  brokenEmbedding,
  brokenRanking,
  brokenScores,
  brokenSpans,
  brokenSpeech,
  endlessReplies,
  GARBAGE,
  NOT_UTF8,
  outOfOrderReplies,
  oversizeReply,
  replyMessage,
  replyWithBrokenDelta,
  replyWithBrokenNumbers,
  replyWithBrokenText,
} from './hostile-messages.ts'

const asIs = (bytes: Buffer) => bytes

/** A raw client. */
function open(address: string) {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.max_receive_message_length': 1024 * 1024 })
  const empty = Buffer.alloc(0)
  const calls = new Set<{ cancel(): void }>()
  return {
    unary: (rpc: RpcName, request = empty) =>
      new Promise<Buffer>((resolve, reject) => {
        const call = client.makeUnaryRequest(backendMethods[rpc].path, asIs, asIs, request, (error, reply) =>
          error === null && reply !== undefined ? resolve(reply) : reject(error),
        )
        calls.add(call)
      }),
    stream: (rpc: RpcName) => client.makeServerStreamRequest(backendMethods[rpc].path, asIs, asIs, empty),
    cancelAll: () => {
      for (const call of calls) call.cancel()
    },
    [Symbol.dispose]: () => client.close(),
  }
}

const messages = (...list: Uint8Array[]): HostileReply => ({ kind: 'messages', messages: list })

describe('startHostileBackend', () => {
  it('is healthy and loads, and implements nothing else by default', async () => {
    await using backend = await startHostileBackend()
    using client = open(backend.address)
    expect(Reply.decode(await client.unary('health')).message).toEqual(Buffer.from('OK'))
    await client.unary('loadModel', Buffer.of(1, 2))
    await expect(client.unary('predict')).rejects.toMatchObject({ code: GRPC_STATUS.UNIMPLEMENTED })
    expect(backend.calls.map(({ rpc, request }) => [rpc, request])).toEqual([
      ['health', Buffer.alloc(0)],
      ['loadModel', Buffer.of(1, 2)],
    ])
  })

  it('never answers health, and sees the caller give up', async () => {
    await using backend = await startHostileBackend({ health: { kind: 'silence' } })
    using leaving = open(backend.address)
    const unanswered = leaving.unary('health')
    const failed = expect(unanswered).rejects.toMatchObject({ code: GRPC_STATUS.CANCELLED })
    const { cancelled } = await backend.called('health')
    leaving.cancelAll()
    await failed
    await cancelled
  })

  it('answers with bytes that are no message', async () => {
    await using backend = await startHostileBackend({ predict: messages(GARBAGE) })
    using client = open(backend.address)
    const reply = await client.unary('predict')
    expect(reply).toEqual(GARBAGE)
    expect(() => Reply.decode(reply)).toThrow()
  })

  it('fails with a status and details of its choice', async () => {
    const details = 'stack trace /root/secret.py'
    await using backend = await startHostileBackend({
      predict: { kind: 'failure', code: GRPC_STATUS.INTERNAL, details },
      predictStream: { kind: 'failure', code: GRPC_STATUS.ABORTED, details, messages: [replyMessage('a')] },
    })
    using client = open(backend.address)
    await expect(client.unary('predict')).rejects.toMatchObject({ code: GRPC_STATUS.INTERNAL, details })
    const seen: string[] = []
    const reading = (async () => {
      for await (const bytes of client.stream('predictStream')) seen.push(String(Reply.decode(bytes).message))
    })()
    await expect(reading).rejects.toMatchObject({ code: GRPC_STATUS.ABORTED, details })
    expect(seen).toEqual(['a'])
  })

  it('streams without end and stops when the caller leaves', async () => {
    let made = 0
    const counted = (function* () {
      for (const message of endlessReplies('x'.repeat(1000))) {
        made += 1
        yield message
      }
    })()
    await using backend = await startHostileBackend({ predictStream: { kind: 'messages', messages: counted } })
    using client = open(backend.address)
    const call = client.stream('predictStream')
    let seen = 0
    for await (const _ of call) {
      seen += 1
      if (seen === 500) break
    }
    call.cancel()
    await (await backend.called('predictStream')).cancelled
    const madeAtEnd = made
    await new Promise((resolve) => setImmediate(resolve))
    expect(made).toBeLessThanOrEqual(madeAtEnd + 1)
  })

  it('keeps a stream open after its last message', async () => {
    const reply: HostileReply = { kind: 'messages', messages: [replyMessage('a')], ending: 'silence' }
    await using backend = await startHostileBackend({ predictStream: reply })
    using client = open(backend.address)
    const call = client.stream('predictStream')
    const first = await call[Symbol.asyncIterator]().next()
    expect(String(Reply.decode(first.value).message)).toBe('a')
    call.on('error', () => {})
    call.cancel()
    await (await backend.called('predictStream')).cancelled
  })

  it('sends messages larger than the caller takes', async () => {
    await using backend = await startHostileBackend({ predict: messages(oversizeReply(2 * 1024 * 1024)) })
    using client = open(backend.address)
    await expect(client.unary('predict')).rejects.toMatchObject({ code: GRPC_STATUS.RESOURCE_EXHAUSTED })
  })
})

describe('hostile messages', () => {
  it('are larger than the contract allows unless told otherwise', () => {
    expect(oversizeReply().length).toBeGreaterThan(50 * 1024 * 1024)
  })

  it('hold text that is no UTF-8', () => {
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(NOT_UTF8)).toThrow()
    expect(Reply.decode(replyWithBrokenText()).message).toEqual(NOT_UTF8)
    expect(replyWithBrokenDelta().includes(NOT_UTF8)).toBe(true)
  })

  it('hold invalid numbers', () => {
    expect(Reply.decode(replyWithBrokenNumbers())).toMatchObject({ tokens: -5, timingPromptProcessing: Number.NaN })
    expect(EmbeddingResult.decode(brokenEmbedding()).embeddings).toContain(Number.POSITIVE_INFINITY)
    const float = Buffer.of(0, 0, 0xc0, 0x7f)
    const double = Buffer.of(0, 0, 0, 0, 0, 0, 0xf8, 0x7f)
    for (const message of [brokenRanking(), brokenSpans(), brokenSpeech()]) expect(message.includes(float)).toBe(true)
    expect(brokenScores(3).includes(double)).toBe(true)
  })

  it('come in an order no backend should use', () => {
    const replies = outOfOrderReplies().map((bytes) => Reply.decode(bytes))
    expect(replies.map((reply) => reply.tokens)).toEqual([9, 2, 1, 0])
    expect(replies[0]?.chatDeltas[0]?.toolCalls[0]).toMatchObject({ index: 3, name: '' })
  })
})
