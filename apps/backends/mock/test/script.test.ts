import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createBackendClient } from '@svc/backend-client'
import { SlotSupport } from '@svc/backend-client/proto'
import { listenBackend } from '@svc/backend-kit'
import { createMock, STATUS_CODES } from '@svc/backend-mock/script'
import { expect, it } from 'vitest'
import { collect, startMock } from './world.ts'

it.each(Object.entries(STATUS_CODES))('fails with status %s', async (status, grpcCode) => {
  const failure = { status: status as keyof typeof STATUS_CODES, message: `as ${status}` }
  await using world = await startMock({ rules: [{ rpc: 'Rerank', do: { failure } }] })
  await expect(world.client.rerank({})).rejects.toMatchObject({ details: { grpcCode, grpcMessage: `as ${status}` } })
})

it('fails after so many pieces', async () => {
  const failure = { status: 'UNAVAILABLE', message: 'gone', afterPieces: 2 } as const
  await using world = await startMock({ rules: [{ do: { text: 'a b c d', failure } }] })
  const texts: string[] = []
  const read = async () => {
    for await (const { message } of world.client.predictStream({})) texts.push(message.toString())
  }
  await expect(read()).rejects.toMatchObject({ kind: 'unavailable' })
  expect(texts).toEqual(['a', ' b'])
  await expect(world.client.predict({})).rejects.toMatchObject({ kind: 'unavailable' })
})

it('refuses a load the way backends do: status OK, success false', async () => {
  await using world = await startMock()
  const Options = ['script:{"rules":[{"rpc":"LoadModel","do":{"refuse":"no such file"}}]}']
  expect(await world.client.loadModel({ Options })).toEqual({ success: false, message: 'no such file' })
})

it('lays fields over an answer', async () => {
  const answer = { entities: [{ entityGroup: 'X', start: 0, end: 999, score: 1, text: 'x' }] }
  await using world = await startMock({ rules: [{ rpc: 'TokenClassify', do: { answer } }] })
  expect(await world.client.tokenClassify({ text: 'Rome' })).toEqual(answer)
})

it('hangs until its caller leaves, and records when that was', async () => {
  await using world = await startMock({ rules: [{ rpc: 'PredictStream', do: { text: 'a b c', hang: 1 } }] })
  const controller = new AbortController()
  const replies = world.client.predictStream({}, { signal: controller.signal })
  await replies.next()
  const waiting = replies.next()
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
  await expect
    .poll(() => world.records().filter(({ rpc }) => rpc === 'PredictStream'))
    .toMatchObject([
      { event: 'start', concurrent: 1 },
      { event: 'cancel', concurrent: 1 },
      { event: 'end', outcome: 'cancelled', pieces: 1, concurrent: 0 },
    ])
})

it('records its requests in full', async () => {
  await using world = await startMock()
  await world.client.predict({ Prompt: 'hello', Metadata: { a: 'b' } }, { metadata: { 'x-trace': 't' } })
  await world.client.audioEncode({ pcmData: Buffer.from([1, 2]) })
  const starts = world.records().filter(({ event }) => event === 'start')
  expect(starts.map(({ rpc, id }) => [rpc, id])).toEqual([
    ['LoadModel', 1],
    ['Predict', 2],
    ['AudioEncode', 3],
  ])
  expect(starts[1]).toMatchObject({
    request: { Prompt: 'hello', Metadata: { a: 'b' } },
    metadata: { 'x-trace': 't' },
    pid: process.pid,
  })
  expect(starts[2]?.request).toMatchObject({ pcmData: 'AQI=' })
  expect(world.records().at(-1)).toMatchObject({ event: 'end', outcome: 'ok' })
})

it('counts how many calls run at a time', async () => {
  await using world = await startMock({ rules: [{ rpc: 'Predict', do: { delayMs: 300 } }] })
  await Promise.all([world.client.predict({}), world.client.predict({}), world.client.predict({})])
  const counts = world.records().filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
  expect(counts.map(({ concurrent }) => concurrent)).toEqual([1, 2, 3])
})

it('asks for a model first, and for the right one', async () => {
  await using backend = await listenBackend({ ...createMock(), address: '127.0.0.1:0' })
  await using client = createBackendClient({ address: backend.address })
  await client.health()
  await expect(client.predict({})).rejects.toMatchObject({ code: 'model_not_loaded' })
  await expect(collect(client.predictStream({}))).rejects.toMatchObject({ code: 'model_not_loaded' })
  await client.loadModel({ Model: 'a' })
  await client.predict({ ModelIdentity: 'a' })
  await client.predict({})
  await expect(client.predict({ ModelIdentity: 'b' })).rejects.toMatchObject({ code: 'model_identity_mismatch' })
  await expect(client.extensions.decide({ modelIdentity: 'b' })).rejects.toMatchObject({
    code: 'model_identity_mismatch',
  })
  await client.free({})
  await expect(client.predict({})).rejects.toMatchObject({ code: 'model_not_loaded' })
})

it('lacks the rpcs that the script names', async () => {
  await using world = await startMock({ without: ['Rerank', 'Decide'] })
  await expect(world.client.rerank({})).rejects.toMatchObject({ kind: 'not_implemented' })
  const capabilities = await world.client.extensions.capabilities({})
  expect(capabilities).toMatchObject({ decisions: false, backend: 'mock', slots: SlotSupport.SLOT_SUPPORT_DISABLED })
  expect(capabilities.rpcs).not.toContain('Rerank')
  expect(capabilities.rpcs).toContain('Predict')
})

it('saves and restores slots where a folder was named for them', async () => {
  await using off = await startMock()
  const disabled = { kind: 'precondition_failed', code: 'slots_disabled', message: 'slot save/restore is disabled' }
  await expect(off.client.extensions.saveSlot({ path: '/x' })).rejects.toMatchObject(disabled)
  await expect(off.client.extensions.restoreSlot({ path: '/x' })).rejects.toMatchObject(disabled)

  await using world = await startMock({}, ['slot_save_path:/somewhere'])
  const path = join(world.folder, 'slot')
  await world.client.predict({ Prompt: 'one two three' })
  const saved = await world.client.extensions.saveSlot({ slot: 0, path })
  expect(saved).toMatchObject({ tokens: 8n, bytes: BigInt(statSync(path).size) })
  expect(await world.client.extensions.restoreSlot({ slot: 5, path })).toMatchObject({ tokens: 8n, bytes: saved.bytes })
})

it('removes a slot file that is too large', async () => {
  await using world = await startMock({ slotBytes: 9_000_000_000 }, ['slot_save_path:/somewhere'])
  const path = join(world.folder, 'slot')
  await expect(world.client.extensions.saveSlot({ path, maxBytes: 8_589_934_592n })).rejects.toMatchObject({
    kind: 'insufficient_storage',
  })
  expect(() => readFileSync(path)).toThrow('ENOENT')
})
