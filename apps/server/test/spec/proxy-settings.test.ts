import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDeferred, createTestCa, startUpstream, tempDir, type Upstream } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const json = { 'content-type': 'application/json' }
const messages = [{ role: 'user', content: 'Hello there' }]
const chatReply = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Mail ada@host.example' }, finish_reason: 'stop' }],
})
const messagesReply = JSON.stringify({
  id: 'x',
  type: 'message',
  role: 'assistant',
  model: 'y',
  content: [{ type: 'text', text: 'ho' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
})

function write(server: TestServer, name: string, proxy: object, keys: object = {}): Promise<void> {
  const model = { name, backend: 'cloud-proxy', known_usecases: ['chat'], proxy, ...keys }
  return server.writeModelFile(`${name}.yaml`, stringify(model))
}

const toBody = (upstream: Upstream): Record<string, unknown> => JSON.parse(upstream.requests.at(-1)?.text() ?? '')

describe('the key of an upstream', () => {
  verifies(
    ['proxy:key:from-file', 'proxy:key:never-shown'],
    'is read from a file, without blanks around it, and shown nowhere',
    async () => {
      await using server = await startTestServer({ env: { UP_KEY: 'sk-variable' } })
      await using upstream = await startUpstream()
      upstream.replyWith({ headers: json, body: chatReply })
      const file = join(server.folder, 'upstream-key')
      await writeFile(file, '\n  sk-file \n')
      const upstream_url = `${upstream.origin}/v1/chat/completions?key=sk-address`
      await write(server, 'cloud', { upstream_url, api_key_file: file })
      await write(server, 'wrong', { upstream_url: 'http://127.0.0.1:9/?key=sk-address' })
      await server.writeModelFile(
        'far.yaml',
        stringify({
          name: 'far',
          backend: 'service-proxy',
          known_usecases: ['chat'],
          proxy: { upstream_url: upstream.origin, api_key_env: 'UP_KEY' },
        }),
      )
      for (const model of ['cloud', 'far']) expect((await server.chat(model)).status).toBe(200)
      expect(upstream.requests.map((request) => request.header('authorization'))).toEqual([
        ['Bearer sk-file'],
        ['Bearer sk-variable'],
      ])
      expect((await server.chat('wrong')).status).toBe(502)
      const shown: string[] = []
      for (const page of [
        '/system',
        '/v1/models',
        '/v1/models/capabilities',
        '/metrics',
        '/api/settings',
        '/api/middleware/status',
        '/backend/monitor',
      ]) {
        const { status, text } = await server.call(`${page}?model=far`)
        expect([page, status]).toEqual([page, 200])
        shown.push(text)
      }
      for (const model of ['cloud', 'far', 'wrong']) shown.push((await server.post('/api/show', { model })).text)
      shown.push((await server.chat('wrong')).text, (await server.post('/backend/load', { model: 'wrong' })).text)
      expect([...shown, ...server.logLines].join('\n')).not.toMatch(/sk-(?:file|variable|address)/)
    },
  )
})

describe('an upstream without an answer', () => {
  const far = { backend: 'service-proxy' }
  const translated = { mode: 'translate', provider: 'provider_a' }

  verifies(
    ['proxy:timeout:whole', 'proxy:timeout:streams', 'errors:status:upstream-timeout'],
    'ends after request_timeout_seconds when the reply is whole; a stream may take longer',
    async () => {
      await using server = await startTestServer()
      await using upstream = await startUpstream()
      const proxy = { upstream_url: upstream.origin, request_timeout_seconds: 1 }
      await write(server, 'relayed', proxy)
      await write(server, 'translated', { ...proxy, ...translated })
      await write(server, 'far', proxy, far)
      const models = ['relayed', 'translated', 'far']
      const silence = createDeferred<void>()
      upstream.replyWith({ headers: json, body: [' ', silence.promise] })
      const whole = await Promise.all(models.map((model) => server.chat(model)))
      expect(whole.map(({ status }) => status)).toEqual([502, 502, 502])
      await Promise.all(upstream.requests.map(async ({ outcome }) => expect(await outcome).toBe('aborted')))
      const words = [`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'late' } }] })}\n\n`]
      const slow = new Promise((resolve) => setTimeout(resolve, 1200))
      upstream.replyWith(() => ({
        headers: { 'content-type': 'text/event-stream' },
        body: [slow, ...words, 'data: [DONE]\n\n'],
      }))
      const streams = await Promise.all(models.map((model) => server.chat(model, { stream: true })))
      for (const { status, text } of streams) expect([status, text]).toEqual([200, expect.stringContaining('late')])
      silence.resolve()
    },
  )
})

describe('the provider of a proxy', () => {
  verifies('proxy:provider:vendor-names', 'may be called by its vendor’s name', async () => {
    await using server = await startTestServer({ env: { UP_KEY: 'sk-up' } })
    await using upstream = await startUpstream()
    const proxy = { upstream_url: upstream.origin, api_key_env: 'UP_KEY' }
    await write(server, 'a', { ...proxy, provider: 'openai' })
    await write(server, 'b', { ...proxy, provider: 'anthropic' })
    upstream.enqueue({ headers: json, body: chatReply }, { headers: json, body: messagesReply })
    expect((await server.chat('a')).status).toBe(200)
    expect((await server.post('/v1/messages', { model: 'b', max_tokens: 9, messages })).status).toBe(200)
    const [chat, message] = upstream.requests
    expect([chat?.header('authorization'), chat?.header('x-api-key')]).toEqual([['Bearer sk-up'], []])
    expect([message?.header('authorization'), message?.header('x-api-key')]).toEqual([[], ['sk-up']])
  })
})

describe('the certificate of an upstream', () => {
  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('may be of an authority that %s names', async (variable) => {
    await using folder = await tempDir()
    const ca = createTestCa()
    const file = folder.join('authority.pem')
    await writeFile(file, ca.cert)
    await using upstream = await startUpstream({ protocol: 'https', ca })
    upstream.replyWith({ headers: json, body: chatReply })
    for (const [env, status] of [
      [{ [variable]: file }, 200],
      [{}, 502],
    ] as const) {
      await using server = await startTestServer({ env })
      await write(server, 'cloud', { upstream_url: `${upstream.origin}/v1/chat/completions` })
      await write(server, 'far', { upstream_url: upstream.origin }, { backend: 'service-proxy' })
      for (const model of ['cloud', 'far']) expect((await server.chat(model)).status).toBe(status)
    }
    expect(upstream.requests).toHaveLength(2)
  })
})

describe('an upstream that is the server itself', () => {
  const far = { backend: 'service-proxy' }

  it('is refused when the model is loaded and when it is asked, under every name; no request loops', async () => {
    await using server = await startTestServer({ flags: ['--external-base-url=https://models.example/svc'] })
    const { port } = new URL(server.url)
    for (const [index, url] of [server.url, `http://localhost:${port}`, 'https://models.example/svc/v1'].entries()) {
      await write(server, `cloud-${index}`, { upstream_url: url })
      await write(server, `far-${index}`, { upstream_url: url }, far)
      const replies = [
        await server.chat(`cloud-${index}`),
        await server.post('/backend/load', { model: `cloud-${index}` }),
        // a failed load is not tried again at once
        index === 0 ? await server.chat(`far-${index}`) : await server.post('/backend/load', { model: `far-${index}` }),
      ]
      for (const reply of replies) {
        expect([reply.status, reply.text]).toEqual([500, expect.stringContaining('the address of this server itself')])
      }
    }
    const served = server.logLines.filter(
      (line) => line.includes('request served') && line.includes('/chat/completions'),
    )
    expect(served).toHaveLength(4)
  })

  it('is one that says so; another port of the machine is another server', async () => {
    await using server = await startTestServer()
    await using upstream = await startUpstream()
    upstream.replyWith({ headers: json, body: chatReply })
    await write(server, 'far', { upstream_url: upstream.origin.replace('127.0.0.1', 'localhost') }, far)
    expect((await server.chat('far')).status).toBe(200)
  })
})

describe('cache_prompt', () => {
  verifies('cloud-proxy:cache-prompt:where', 'marks translated requests for provider_b, and nothing else', async () => {
    await using server = await startTestServer()
    await using upstream = await startUpstream()
    const proxy = { upstream_url: upstream.origin, cache_prompt: true }
    await write(server, 'marked', { ...proxy, mode: 'translate', provider: 'provider_b' })
    await write(server, 'other', { ...proxy, mode: 'translate', provider: 'provider_a' })
    await write(server, 'relayed', { ...proxy, provider: 'provider_a' })
    upstream.enqueue({ headers: json, body: messagesReply })
    const system = { role: 'system', content: 'Be brief.' }
    await server.chat('marked', { messages: [system, ...messages] })
    expect(JSON.stringify(toBody(upstream)).split('"cache_control"')).toHaveLength(3)
    upstream.replyWith({ headers: json, body: chatReply })
    for (const model of ['other', 'relayed']) {
      await server.chat(model, { messages: [system, ...messages] })
      expect(JSON.stringify(toBody(upstream))).not.toContain('cache_control')
    }
  })

  it('causes a warning with its line when it has no effect', async () => {
    await using server = await startTestServer()
    const proxy = { upstream_url: 'https://models.example/v1', cache_prompt: true }
    await write(server, 'marked', { ...proxy, mode: 'translate', provider: 'anthropic' })
    await write(server, 'other', { ...proxy, mode: 'translate', provider: 'provider_a' })
    await write(server, 'relayed', { ...proxy, provider: 'provider_b' })
    await write(server, 'off', { ...proxy, cache_prompt: false })
    await write(server, 'far', proxy, { backend: 'service-proxy' })
    await server.call('/v1/models')
    const warnings = server.logLines.filter((line) => line.includes('proxy.cache_prompt'))
    expect(warnings.map((line) => JSON.parse(line)).map(({ file, line, level }) => [file, line, level])).toEqual([
      ['far.yaml', 7, 'warn'],
      ['other.yaml', 7, 'warn'],
      ['relayed.yaml', 7, 'warn'],
    ])
    expect((await server.call('/v1/models')).text).toContain('"relayed"')
  })
})

it.each<[key: string, value: unknown, useful: readonly string[]]>([
  ['sampling', 'send', ['full-a', 'full-b', 'text-a']],
  ['limit_field', 'max_tokens', ['full-a', 'text-a']],
  ['stream_usage', true, ['full-a', 'text-a', 'relay', 'relay-a']],
  ['api', 'openai', ['far']],
])('proxy.%s causes a warning where it has no effect', async (key, value, useful) => {
  await using server = await startTestServer()
  const ways = {
    relay: {},
    'relay-a': { provider: 'openai' },
    'relay-b': { provider: 'anthropic' },
    'text-a': { mode: 'translate', provider: 'provider_a' },
    'full-a': { mode: 'translate', provider: 'provider_a', translate: 'full' },
    'full-b': { mode: 'translate', provider: 'provider_b', translate: 'full' },
  }
  const proxy = { upstream_url: 'https://models.example/v1', [key]: value }
  for (const [name, keys] of Object.entries(ways)) await write(server, name, { ...proxy, ...keys })
  await write(server, 'far', proxy, { backend: 'service-proxy' })
  await server.call('/v1/models')
  const warned = server.logLines.filter((line) => line.includes(`proxy.${key}`)).map((line) => JSON.parse(line))
  expect(warned.map(({ file, line, level }) => [file, line, level])).toEqual(
    ['far', ...Object.keys(ways)]
      .filter((name) => !useful.includes(name))
      .map((name) => `${name}.yaml`)
      .sort()
      .map((file) => [file, 7, 'warn']),
  )
})

verifies('upstream:reply:not-filtered', 'a reply of an upstream is not filtered', async () => {
  await using server = await startTestServer()
  await using upstream = await startUpstream()
  await server.model('ner', {}, { known_usecases: ['token_classify'], pii_detection: {} })
  await write(server, 'cloud', { upstream_url: upstream.origin }, { pii: { enabled: true, detectors: ['ner'] } })
  upstream.replyWith({ headers: json, body: chatReply })
  expect((await server.chat('cloud')).text).toBe(chatReply)
})
