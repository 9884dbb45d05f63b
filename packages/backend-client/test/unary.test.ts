import { status } from '@grpc/grpc-js'
import { expect, it } from 'vitest'
import { createBackendClient } from '../src/index.ts'
import { Reply, Result } from '../src/proto.ts'
import { answer, cancelled, fail, type RawCall, startRawServer } from './raw-server.ts'

const HEALTH = '/backend.Backend/Health'
const PREDICT = '/backend.Backend/Predict'
const FREE = '/backend.Backend/Free'

function reply(message: string | Uint8Array): Uint8Array {
  return Reply.encode(Reply.fromPartial({ message: Buffer.from(message) })).finish()
}

/** A call that the test answers itself. */
function pendingCall(): { take: (call: RawCall) => void; taken: Promise<RawCall> } {
  let take: (call: RawCall) => void = () => {}
  const taken = new Promise<RawCall>((resolve) => {
    take = (call) => {
      call.resume()
      resolve(call)
    }
  })
  return { take: (call) => take(call), taken }
}

it('takes "OK" for health and nothing else', async () => {
  let text = 'OK'
  await using server = await startRawServer({ [HEALTH]: (call) => answer(call, reply(text)) })
  await using client = createBackendClient({ address: server.address })
  await client.health()
  for (text of ['ok', '', 'OK ']) {
    await expect(client.health()).rejects.toMatchObject({ kind: 'unavailable', code: 'backend_unhealthy' })
  }
})

it('gives bytes of a reply as they came, also inside a character', async () => {
  const bytes = Buffer.from([0xf0, 0x9f, 0x98])
  await using server = await startRawServer({ [PREDICT]: (call) => answer(call, reply(bytes)) })
  await using client = createBackendClient({ address: server.address })
  expect((await client.predict({})).message).toEqual(bytes)
})

it('fails on bytes that are no message, and the channel goes on', async () => {
  await using server = await startRawServer({
    [PREDICT]: (call) => answer(call, Buffer.from([0x0a, 0xff, 0xff, 0xff])),
    [HEALTH]: (call) => answer(call, reply('OK')),
  })
  await using client = createBackendClient({ address: server.address })
  await expect(client.predict({})).rejects.toMatchObject({ kind: 'internal', code: 'backend_error' })
  await client.health()
})

it('fails when the backend closes without an answer', async () => {
  await using server = await startRawServer({ [PREDICT]: (call) => call.resume().on('end', () => call.end()) })
  await using client = createBackendClient({ address: server.address })
  await expect(client.predict({})).rejects.toMatchObject({ name: 'BackendError' })
})

it('ends at its deadline, and the backend hears of it', async () => {
  const { take, taken } = pendingCall()
  await using server = await startRawServer({ [PREDICT]: take })
  await using client = createBackendClient({ address: server.address })
  await expect(client.predict({}, { timeoutMs: 500 })).rejects.toMatchObject({
    kind: 'timeout',
    code: 'backend_timeout',
  })
  await cancelled(await taken)
})

it('ends when its signal is aborted, and the backend hears of it', async () => {
  const { take, taken } = pendingCall()
  await using server = await startRawServer({ [PREDICT]: take })
  await using client = createBackendClient({ address: server.address })
  const controller = new AbortController()
  const failed = expect(client.predict({}, { signal: controller.signal })).rejects.toMatchObject({
    kind: 'cancelled',
  })
  const call = await taken
  controller.abort()
  await failed
  await cancelled(call)
})

it('does not call at all when its signal is aborted already', async () => {
  let calls = 0
  await using server = await startRawServer({
    [PREDICT]: (call) => {
      calls += 1
      answer(call, reply(''))
    },
    [HEALTH]: (call) => answer(call, reply('OK')),
  })
  await using client = createBackendClient({ address: server.address })
  await expect(client.predict({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'cancelled' })
  await client.health()
  expect(calls).toBe(0)
})

it('leaves no listener on a signal that outlives the call', async () => {
  await using server = await startRawServer({ [PREDICT]: (call) => answer(call, reply('')) })
  await using client = createBackendClient({ address: server.address })
  const { signal } = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners += 1
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners -= 1
    removeEventListener.apply(signal, args)
  }
  await client.predict({}, { signal })
  expect(listeners).toBe(0)
})

it('gives a result that failed as it is: looking at success is up to the caller', async () => {
  const result = { success: false, message: 'busy' }
  await using server = await startRawServer({
    [FREE]: (call) => answer(call, Result.encode(Result.fromPartial(result)).finish()),
  })
  await using client = createBackendClient({ address: server.address })
  expect(await client.free({})).toEqual(result)
})

it('reads the status a backend fails with', async () => {
  await using server = await startRawServer({
    [PREDICT]: (call) => fail(call, { code: status.UNKNOWN, details: 'unimplemented' }),
  })
  await using client = createBackendClient({ address: server.address })
  await expect(client.predict({})).rejects.toMatchObject({
    kind: 'not_implemented',
    code: 'unimplemented',
    details: { rpc: PREDICT, grpcCode: status.UNKNOWN, grpcMessage: 'unimplemented' },
  })
})

it('sends its token and the metadata of the call', async () => {
  const seen: unknown[] = []
  await using server = await startRawServer({
    [PREDICT]: (call) => {
      seen.push(call.metadata.get('authorization'), call.metadata.get('x-trace'))
      answer(call, reply(''))
    },
  })
  await using client = createBackendClient({ address: server.address, token: 'secret' })
  await client.predict({}, { metadata: { 'x-trace': 'abc', authorization: 'not mine' } })
  expect(seen).toEqual([['Bearer secret'], ['abc']])
})

it('refuses to send a message over its limit, and to take one', async () => {
  await using server = await startRawServer({ [PREDICT]: (call) => answer(call, reply('x'.repeat(3000))) })
  await using client = createBackendClient({ address: server.address, maxMessageBytes: 2000 })
  await expect(client.predict({ Prompt: 'x'.repeat(3000) })).rejects.toMatchObject({
    kind: 'too_large',
    code: 'message_too_large',
  })
  await expect(client.predict({ Prompt: 'x' })).rejects.toMatchObject({ kind: 'internal', code: 'reply_too_large' })
})

it('fails on a value that the message cannot hold', async () => {
  await using server = await startRawServer({ [PREDICT]: (call) => answer(call, reply('')) })
  await using client = createBackendClient({ address: server.address })
  await expect(client.predict({ Seed: 2 ** 40 })).rejects.toMatchObject({ name: 'BackendError' })
})

it('fails calls that run while it is closed, and calls after', async () => {
  const { take, taken } = pendingCall()
  await using server = await startRawServer({ [PREDICT]: take })
  const client = createBackendClient({ address: server.address })
  const failed = expect(client.predict({})).rejects.toMatchObject({ kind: 'unavailable', code: 'backend_cancelled' })
  await taken
  client.close()
  await failed
  const closed = { kind: 'unavailable', code: 'client_closed' }
  await expect(client.predict({})).rejects.toMatchObject(closed)
  await expect(client.predictStream({}).next()).rejects.toMatchObject(closed)
  expect(() => client.forward()).toThrow(expect.objectContaining(closed))
  client.close()
})
