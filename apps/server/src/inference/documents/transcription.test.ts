import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPatternDetector } from '@svc/pii/patterns'
import { eventually, removeFolder } from '@svc/test-kit'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { startTestApp } from '../../../test/support/test-app.ts'
import { defineInferenceRoute } from '../../api/formats/define-inference-route.ts'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { systemClock } from '../../clock.ts'
import { openPrivateFiles } from '../../files/private-files.ts'
import { createBodyReader } from '../../http/body.ts'
import { createFormReader } from '../../http/forms/form-reader.ts'
import { createMetrics } from '../../monitoring/metrics.ts'
import { createPiiMetrics } from '../../pii/metrics.ts'
import { createRequestFilter } from '../../pii/request-filter.ts'
import { createIdleStages } from '../core/__fixtures__/idle-stages.ts'
import { createModelSlots, createSlotCounter } from '../core/admission.ts'
import { createModelCalls } from '../core/model-calls.ts'
import { createRequestCore } from '../core/pipeline.ts'
import type { Executor } from '../engine/executor.ts'
import { createMediaAttacher } from '../media/attach-media.ts'
import { createDelivery } from '../replies/deliver-reply.ts'
import type { WireFormat } from '../replies/wire-format.ts'
import { createAccess } from '../stages/access.ts'
import { readRequestBody } from '../stages/body.ts'
import { createGlobalLimit, createModelLimit } from '../stages/limits.ts'
import { createModelStage } from '../stages/model.ts'
import { createParse } from '../stages/parse.ts'
import { createPiiStage } from '../stages/pii.ts'
import { createResolve } from '../stages/resolve.ts'
import { readBody } from './read-body.ts'
import { unparsable } from './unparsable.ts'

const BOUNDARY = 'b1'
const PATH = '/v1/audio/transcriptions'
const SOUND = Buffer.alloc(100_000, 'RIFF')

/** Where the work of a request stops until its client leaves. */
type Pause = 'operation' | 'reply' | undefined

const schema = z.object({
  model: z.string(),
  prompt: z.string().default(''),
  temperature: z.coerce.number().optional(),
})

/** A format as one for transcriptions is: a form with a file, and bytes as the answer. */
interface Seen {
  prompt?: string
  filename?: string
  bytes?: number
  ended?: number
}

function createFormat(seen: Seen, pause: () => Pause): WireFormat {
  return {
    form: { files: { file: { maxBytes: 1_000_000 } } },
    async read(document, { files, signal }) {
      const { prompt } = await readBody(schema, document, signal)
      const [file] = files
      if (file === undefined) throw unparsable('file is required', 'file')
      const request = { kind: 'tokenize', text: prompt } as const
      return {
        kind: 'operation',
        request,
        async perform(run) {
          let bytes = 0
          for await (const piece of createReadStream(file.path) as AsyncIterable<Uint8Array>) bytes += piece.length
          Object.assign(seen, { prompt, bytes, filename: file.filename })
          await run<'tokenize'>(request)
          return {
            kind: 'content',
            content: {
              mediaType: 'audio/wav',
              async *read() {
                try {
                  yield Buffer.from('first,')
                  if (pause() === 'reply') await new Promise((_, reject) => signal.addEventListener('abort', reject))
                  yield Buffer.from('last')
                } finally {
                  seen.ended = (seen.ended ?? 0) + 1
                }
              },
            },
          }
        },
      }
    },
  }
}

async function startWorld({ pii = {} }: { readonly pii?: Partial<ModelConfig['pii']> } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-tenant-'))
  const files = await openPrivateFiles(join(folder, 'forms'))
  const bodies = createBodyReader({ maxBytes: 2_000_000, idleMs: 30_000, totalBytes: 4_000_000 })
  const forms = createFormReader({ bodies, files })
  const seen: Seen = {}
  const asked: unknown[] = []
  let pause: Pause
  let reserved = 0
  const executor = {
    async perform(request: unknown, { signal }: { signal: AbortSignal }) {
      asked.push(request)
      if (pause === 'operation') {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      return { tokens: [], promptTokens: 3 }
    },
  } as unknown as Executor
  const audit = { record: () => [], flush: () => Promise.resolve() }
  const metrics = createMetrics()
  const detector = createPatternDetector({
    name: 'mail',
    settings: {
      patterns: [{ name: 'EMAIL', match: '[a-z]+@[a-z]+\\.example' }],
      entityActions: {},
      defaultAction: 'mask',
    },
  })
  const filter = createRequestFilter({
    defaults: () => ['mail'],
    detectors: { find: () => [detector] },
    tokens: { read: () => expect.unreachable() } as never,
    conversations: { read: () => expect.unreachable(), add: () => expect.unreachable() },
    events: audit,
    metrics: createPiiMetrics(new Registry()),
    clock: systemClock,
  })
  const model = createModel({ name: 'm', pii: { enabled: true, ...pii } })
  const reader = { open: () => expect.unreachable() }
  const slots = createSlotCounter()
  const modelSlots = createModelSlots()
  const quotas = {
    async reserve() {
      reserved += 1
      const settle = (): void => {
        reserved -= 1
      }
      return { renew: () => Promise.resolve(), settle }
    },
  }
  const access = createAccess(quotas as never)
  const core = createRequestCore({
    ...createIdleStages(),
    body: readRequestBody,
    resolve: createResolve({
      resolve: (name) => (name === 'm' ? model : undefined),
      findName: (name) => name,
      findDefault: () => undefined,
      findFault: () => undefined,
    }),
    globalLimit: createGlobalLimit(slots, 1),
    access: ({ request, ledger }, cleanup) => {
      const principal = { ...request.context.principal, quotas: [{}] as never }
      const context = Object.create(request.context, { principal: { value: principal } })
      return access({ request: { ...request, context }, ledger }, cleanup)
    },
    modelLimit: createModelLimit(modelSlots, audit),
    pii: createPiiStage(filter),
    parse: createParse({ attacher: createMediaAttacher(reader), reader, uploads: files }),
    model: createModelStage({
      models: createModelCalls({
        executor,
        translate: () => expect.unreachable(),
        failover: {} as never,
        ownStores: {} as never,
      }),
      relay: () => expect.unreachable(),
      usage: { record: () => undefined },
      metrics,
      clock: systemClock,
    }),
  })
  const route = defineInferenceRoute(
    {
      method: 'POST',
      path: PATH,
      access: 'any',
      family: 'compatible',
      tag: 'test',
      summary: 'test',
      usecase: 'tokenize',
      form: true,
      scanned: 'completions',
    },
    async () => createFormat(seen, () => pause),
    {
      core,
      deliverTo: createDelivery({ clock: systemClock, opaqueErrors: false }),
      compression: { enabled: true, minLength: 1 },
      bodies,
      forms,
    },
  )
  const app = await startTestApp([route])
  return {
    app,
    seen,
    asked,
    pauseAt(where: Pause) {
      pause = where
    },
    async expectNothingLeft() {
      await eventually(async () => {
        const left = await readdir(join(folder, 'forms')).catch(() => [])
        expect([left, forms.fileBytes, bodies.heldBytes, slots.taken, modelSlots.taken('m'), reserved]).toEqual([
          [],
          ...Array(5).fill(0),
        ])
      })
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await files.close()
      await removeFolder(folder)
    },
  }
}

const text = (name: string, value: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const FILE = Buffer.concat([
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`,
  ),
  SOUND,
  Buffer.from('\r\n'),
])
const END = `--${BOUNDARY}--\r\n`
const HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const toForm = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)))
const FORM = toForm(text('model', 'm'), text('prompt', 'mail ada@home.example'), FILE, END)

describe('a route with a form and a content reply', () => {
  it.each([
    ['first', toForm(FILE, text('prompt', 'mail ada@home.example'), text('model', 'm'), END)],
    ['last', FORM],
  ])('serves a file that comes %s, with its texts filtered', async (_name, body) => {
    await using world = await startWorld()
    const reply = await world.app.call(PATH, { method: 'POST', headers: HEADERS, body })
    expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([200, 'audio/wav', 'first,last'])
    expect(world.seen).toEqual({
      prompt: 'mail [REDACTED:pattern:EMAIL]',
      filename: 'a.wav',
      bytes: SOUND.length,
      ended: 1,
    })
    expect(world.asked).toEqual([{ kind: 'tokenize', text: 'mail [REDACTED:pattern:EMAIL]' }])
    await world.expectNothingLeft()
  })

  it.each([
    ['ada@home.example.wav', '[REDACTED:pattern:EMAIL].wav'],
    [
      'call with ada@home.example and bob@home.example',
      'call with [REDACTED:pattern:EMAIL] and [REDACTED:pattern:EMAIL]',
    ],
    ['a.wav', 'a.wav'],
    ['', ''],
  ])('filters the name of a file: %s', async (filename, expected) => {
    await using world = await startWorld()
    const body = Buffer.from(FORM.toString('latin1').replace('a.wav', filename), 'latin1')
    expect((await world.app.call(PATH, { method: 'POST', headers: HEADERS, body })).status).toBe(200)
    expect(world.seen).toMatchObject({ filename: expected, prompt: 'mail [REDACTED:pattern:EMAIL]' })
    await world.expectNothingLeft()
  })

  it.each<[string, Buffer, Partial<ModelConfig['pii']>, number]>([
    ['refuses a file', FORM, {}, 400],
    ['refuses an empty file', toForm(text('model', 'm'), FILE.subarray(0, 130), `\r\n${END}`), {}, 400],
    [
      'takes a file of a field that the route does not read',
      toForm(text('model', 'm'), FILE.toString('latin1').replace('"file"', '"other"'), END),
      {},
      400,
    ],
    ['takes a file of a model that lets media pass', FORM, { blockUnscannedMedia: false }, 200],
  ])('%s where unscanned media are blocked', async (name, body, pii, status) => {
    await using world = await startWorld({ pii: { blockUnscannedMedia: true, ...pii } })
    const reply = await world.app.call(PATH, { method: 'POST', headers: HEADERS, body })
    expect(reply.status).toBe(status)
    // A form without a file fails later: the route needs one.
    if (status !== 200) expect(reply.text.includes('pii_blocked')).toBe(name.startsWith('refuses'))
    await world.expectNothingLeft()
  })

  it.each<[string, Buffer, Record<string, string>, number, string]>([
    ['JSON', Buffer.from('{"model":"m"}'), { 'content-type': 'application/json' }, 400, 'must be a form'],
    ['no file', toForm(text('model', 'm'), END), HEADERS, 400, 'file is required'],
    ['an unknown model', toForm(text('model', 'x'), FILE, END), HEADERS, 404, 'not found'],
    [
      'a text of the wrong type',
      toForm(text('temperature', 'hot'), text('model', 'm'), FILE, END),
      HEADERS,
      400,
      'temperature',
    ],
    ['a form that is cut off', FORM.subarray(0, FORM.length - 20), HEADERS, 400, 'cut off'],
    ['a compressed form', FORM, { ...HEADERS, 'content-encoding': 'gzip' }, 415, 'compressed'],
    ['a large body', toForm(FORM, Buffer.alloc(2_000_000)), HEADERS, 413, 'larger than'],
    [
      'a large file',
      toForm(text('model', 'm'), FILE.subarray(0, 200), Buffer.alloc(1_000_001), `\r\n${END}`),
      HEADERS,
      413,
      'file is larger than 1000000',
    ],
  ])('refuses %s in the form of its errors', async (_name, body, headers, status, message) => {
    await using world = await startWorld()
    const reply = await world.app.call(PATH, { method: 'POST', headers, body })
    expect([reply.status, reply.json()]).toMatchObject([
      status,
      { error: { message: expect.stringContaining(message) } },
    ])
    await world.expectNothingLeft()
  })

  it.each<[string, number, Pause]>([
    ['inside a field', 90, undefined],
    ['inside a file', 60_000, undefined],
    ['before the reply', FORM.length, 'operation'],
    ['inside the reply', FORM.length, 'reply'],
  ])('leaves nothing of a client that leaves %s', async (_name, bytes, pause) => {
    await using world = await startWorld()
    world.pauseAt(pause)
    const { hostname, port } = new URL(world.app.url)
    const socket = connect({ port: Number(port), host: hostname })
    const head = `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${HEADERS['content-type']}\r\nContent-Length: ${FORM.length}\r\n\r\n`
    socket.write(Buffer.concat([Buffer.from(head), FORM.subarray(0, bytes)]))
    if (pause === 'operation') await eventually(() => expect(world.asked).toHaveLength(1))
    else if (pause === 'reply') await once(socket, 'data')
    else await once(socket, 'ready')
    socket.destroy()
    await world.expectNothingLeft()
    if (pause === 'reply') await eventually(() => expect(world.seen.ended).toBe(1))
    // The one slot is free again.
    world.pauseAt(undefined)
    expect((await world.app.call(PATH, { method: 'POST', headers: HEADERS, body: FORM })).status).toBe(200)
    await world.expectNothingLeft()
  })
})
