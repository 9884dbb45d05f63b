import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  endlessReplies,
  eventually,
  GARBAGE,
  type HostileReply,
  oversizeReply,
  replyMessage,
  replyWithBrokenDelta,
  replyWithBrokenNumbers,
  replyWithBrokenText,
  startHostileBackend,
} from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { sseData, startTestServer } from '../support/server.ts'

/** A server whose model is an attached backend that answers predictions with fixed replies. */
async function world(reply: HostileReply) {
  const backend = await startHostileBackend({ predict: reply, predictStream: reply })
  const server = await startTestServer()
  await writeFile(join(server.configDir, 'external_backends.json'), JSON.stringify({ hostile: backend.address }))
  await eventually(async () => expect((await server.call('/system')).text).toContain('hostile'))
  await server.model('m', {}, { backend: 'hostile' })
  return {
    backend,
    server,
    async [Symbol.asyncDispose]() {
      await server.close()
      await backend.close()
    },
  }
}

const messages = (...list: Uint8Array[]): HostileReply => ({ kind: 'messages', messages: list })

describe('RPC-2: a backend that answers nonsense', () => {
  it.each([
    ['bytes that are no message', messages(GARBAGE), 500],
    ['a message over 50 MiB', messages(oversizeReply()), 413],
    ['numbers no run can have', messages(replyWithBrokenNumbers()), 200],
    ['bytes that are no UTF-8', messages(replyWithBrokenText()), 200],
    ['text fields that are no UTF-8', messages(replyWithBrokenDelta()), 200],
  ] as const)('%s: a clean answer, and the server lives', async (_name, reply, status) => {
    await using hostile = await world(reply)
    const answer = await hostile.server.chat('m')
    if (status === 413) expect(answer.status).toBeGreaterThanOrEqual(400)
    else expect(answer.status).toBe(status)
    const body = answer.json() as { usage?: Record<string, number> }
    for (const count of Object.values(body.usage ?? {})) expect(count).toBeGreaterThanOrEqual(0)
    expect((await hostile.server.call('/healthz')).status).toBe(200)
  })

  it('garbage in the middle of a stream is an error event, and the stream ends', async () => {
    await using hostile = await world(messages(replyMessage('fine '), GARBAGE))
    const events = sseData((await hostile.server.chat('m', { stream: true })).text)
    expect(events.at(-2)).toMatchObject({ error: { type: 'server_error' } })
    expect(events.at(-1)).toBe('[DONE]')
  })

  it('an endless stream ends with its reader', async () => {
    await using hostile = await world({ kind: 'messages', messages: endlessReplies() })
    const abort = new AbortController()
    const reply = await fetch(`${hostile.server.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] }),
      signal: abort.signal,
    })
    const reader = reply.body?.getReader()
    await reader?.read()
    abort.abort()
    const called = await hostile.backend.called('predictStream')
    await called.cancelled
    expect((await hostile.server.call('/healthz')).status).toBe(200)
  })

  it('silence ends with its reader, too', async () => {
    await using hostile = await world({ kind: 'silence' })
    const abort = new AbortController()
    const reply = fetch(`${hostile.server.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
      signal: abort.signal,
    }).catch(() => 'aborted')
    const called = await hostile.backend.called('predict')
    abort.abort()
    await called.cancelled
    expect(await reply).toBe('aborted')
  })
})
