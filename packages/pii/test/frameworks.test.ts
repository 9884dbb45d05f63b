import { startHttpServer } from '@svc/test-kit'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { type BodyOptions, expressPii, fastifyPii, filterRequest, honoPii } from '../src/adapters/http.ts'
import { createLineRedactor } from '../src/adapters/pino.ts'
import { createDetector } from '../src/detectors.ts'

const BODY = {
  to: 'ada@lab.example',
  model: '10.1.2.3',
  'bob@lab.example': [{ note: '{"card":"4111 1111 1111 1111"}', ok: true, count: 3, none: null }],
}
const MASKED = {
  to: '[REDACTED:pattern:EMAIL]',
  model: '[REDACTED:pattern:IP_ADDRESS]',
  '[REDACTED:pattern:EMAIL]': [{ note: '{"card":"[REDACTED:pattern:CREDITCARD]"}', ok: true, count: 3, none: null }],
}
const blocks: BodyOptions = {
  detectors: [createDetector({ name: 'p', settings: { builtins: ['email'], defaultAction: 'block' } })],
}

/** Answers a request with the body that its handler reads. */
type Send = (init: { readonly method?: string; readonly body?: string; readonly type?: string }) => Promise<{
  readonly status: number
  readonly text: string
}>

async function withExpress(options: BodyOptions, use: (send: Send) => Promise<void>): Promise<void> {
  const app = express()
  app.use(express.json(), expressPii(options))
  app.use((request, response) => void response.json({ read: request.body ?? 'nothing' }))
  await using server = await startHttpServer(app)
  await use(async ({ method = 'POST', body, type = 'application/json' }) => {
    const headers = body === undefined ? {} : { 'content-type': type }
    const response = await fetch(server.origin, { method, headers, ...(body === undefined ? {} : { body }) })
    return { status: response.status, text: await response.text() }
  })
}

async function withFastify(options: BodyOptions, use: (send: Send) => Promise<void>): Promise<void> {
  await using app = Fastify()
  app.addHook('preValidation', fastifyPii(options))
  app.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload))
  app.all('/', (request) => ({ read: request.body ?? 'nothing' }))
  await use(async ({ method = 'POST', body, type = 'application/json' }) => {
    const headers = body === undefined ? {} : { 'content-type': type }
    const request = { method: method as 'POST', url: '/', headers, ...(body === undefined ? {} : { body }) }
    const { statusCode, payload } = await app.inject(request)
    return { status: statusCode, text: payload }
  })
}

async function withHono(options: BodyOptions, use: (send: Send) => Promise<void>): Promise<void> {
  const app = new Hono()
  app.use(honoPii(options))
  app.all('/', async (c) => c.json({ read: c.req.raw.body === null ? 'nothing' : await c.req.json() }))
  await use(async ({ method = 'POST', body, type = 'application/json' }) => {
    const headers = body === undefined ? {} : { 'content-type': type }
    const response = await app.request('/', { method, headers, ...(body === undefined ? {} : { body }) })
    return { status: response.status, text: await response.text() }
  })
}

describe.each([
  ['Express', withExpress],
  ['Fastify', withFastify],
  ['Hono', withHono],
] as const)('the filter of bodies in %s', (_, run) => {
  it('gives handlers the masked body, and requests without one as they are', async () => {
    await run({}, async (send) => {
      const { status, text } = await send({ body: JSON.stringify(BODY) })
      expect([status, JSON.parse(text)]).toEqual([200, { read: MASKED }])
      expect(await send({ method: 'GET' })).toEqual({ status: 200, text: '{"read":"nothing"}' })
    })
  })

  it('knows the formats of models', async () => {
    await run({ format: 'chat-completions' }, async (send) => {
      const { text } = await send({ body: '{"model":"10.1.2.3","messages":[{"role":"user","content":"10.1.2.3"}]}' })
      expect(JSON.parse(text).read).toEqual({
        model: '10.1.2.3',
        messages: [{ role: 'user', content: '[REDACTED:pattern:IP_ADDRESS]' }],
      })
    })
  })

  it('answers 400 to a blocked body, and shows nothing of it', async () => {
    await run(blocks, async (send) => {
      const { status, text } = await send({ body: JSON.stringify(BODY) })
      expect(status).toBe(400)
      expect(text).toContain('blocked by content policy')
      expect(text).not.toContain('lab.example')
    })
  })

  it('lets no body pass that it cannot read', async () => {
    await run({}, async (send) => {
      const { status, text } = await send({ body: 'mail,ada@lab.example', type: 'text/csv' })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(text).not.toContain('lab.example')
    })
  })
})

describe('bodies that a framework leaves to others', () => {
  it('are refused where Express 4 gives an empty object for them', async () => {
    const app = express()
    app.use((request, _response, next) => {
      request.body = {}
      next()
    })
    app.use(expressPii(), express.text({ type: '*/*' }))
    app.use((request, response) => void response.json({ read: request.body }))
    await using server = await startHttpServer(app)
    const refused = await fetch(server.origin, { method: 'POST', body: 'mail,ada@lab.example' })
    expect(refused.status).toBe(500)
    expect(await refused.text()).not.toContain('lab.example')
    expect((await fetch(server.origin)).status).toBe(200)
  })

  it('are refused where Fastify leaves a form to its handler', async () => {
    await using app = Fastify()
    app.addHook('preValidation', fastifyPii())
    app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null))
    app.post('/', () => 'read')
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const { statusCode } = await app.inject({ method: 'POST', url: '/', headers, payload: '--x--' })
    expect(statusCode).toBe(500)
  })
})

describe('a request of the web platform', () => {
  const post = (body: string, signal?: AbortSignal) =>
    new Request('https://lab.example/', { method: 'POST', body, ...(signal && { signal }) })

  it('keeps every byte beside masked texts', async () => {
    const filtered = await filterRequest(post('\ufeff{"seed": 12345678901234567890, "to":"ada@lab.example" }'))
    expect(await filtered.text()).toBe('{"seed": 12345678901234567890, "to":"[REDACTED:pattern:EMAIL]" }')
  })

  it('is refused with the code of the README when it is not JSON, and ends with its signal', async () => {
    await expect(filterRequest(post('mail ada@lab.example'))).rejects.toMatchObject({
      code: 'pii_unclear_body',
      status: 400,
      message: 'the body is not JSON',
    })
    const reason = new Error('gone')
    const never = { name: 'n', detect: () => new Promise<never>(() => {}) }
    const controller = new AbortController()
    const call = filterRequest(post('{"a":"b"}', controller.signal), { detectors: [never] })
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
  })
})

describe('the hook of pino', () => {
  const log = (write: (logger: pino.Logger) => void, settings?: Parameters<typeof createLineRedactor>[0]): string => {
    const lines: string[] = []
    write(pino({ hooks: { streamWrite: createLineRedactor(settings) } }, { write: (line) => void lines.push(line) }))
    return lines.join('')
  }

  it('masks messages, fields and errors, and leaves the rest', () => {
    const text = log((logger) => {
      logger.info({ user: { email: 'ada@lab.example', card: 4111111111111111 } }, 'mail to %s', 'bob@lab.example')
      logger.error(new Error('no such user: eve@lab.example'))
      logger.info('x'.repeat(200_000))
    })
    expect(text).not.toMatch(/lab\.example|4111/)
    const [first, second, third] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(first).toMatchObject({
      level: 30,
      time: expect.any(Number),
      pid: process.pid,
      user: { email: '[REDACTED:pattern:EMAIL]', card: '[REDACTED:pattern:CREDITCARD]' },
      msg: 'mail to [REDACTED:pattern:EMAIL]',
    })
    expect(second.err.message).toBe('no such user: [REDACTED:pattern:EMAIL]')
    expect(third.msg).toHaveLength(200_000)
  })

  it('leaves the times of lines, whatever card number they look like', () => {
    const redactLine = createLineRedactor()
    for (let time = 1_732_981_234_000; time < 1_732_981_234_200; time += 1) {
      const line = `{"level":30,"time":${time},"pid":7,"msg":"ready"}\n`
      expect(redactLine(line)).toBe(line)
    }
  })

  it('refuses encodings, which it could not read in time', () => {
    const settings = { builtins: ['email'], encodings: ['base64'] } as const
    expect(() => createLineRedactor({ settings })).toThrow('encodings are not read in lines of a log')
  })

  it('replaces a line that is blocked or is not JSON', () => {
    const settings = { builtins: ['email'], defaultAction: 'block' } as const
    expect(log((logger) => logger.info('mail ada@lab.example'), { settings })).toMatch(/^\{"level":50.*\}\n$/)
    expect(createLineRedactor()('mail ada@lab.example\n')).not.toContain('lab.example')
  })
})
