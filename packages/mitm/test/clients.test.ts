import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createDeferred, listenOnFreePort, patienceMs } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { LISTED, OTHER, startWorld, type World } from './world.ts'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { cwd: PACKAGE, env: { ...process.env, ...env }, timeout: patienceMs() },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
    )
  })
}

/** Says in one line that a program is missing. */
function has(command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    console.info(`not run: ${command} is missing`)
    return false
  }
}

const proxyUrl = ({ proxy }: World) => `http://127.0.0.1:${proxy.port}`

/** A proxy in front of a host that answers chats and messages, whole and streamed, and repeats the message it got. */
async function startAnswering(
  protocol: 'https' | 'h2',
): Promise<World & { readonly caFile: string; readonly hostCaFile: string }> {
  const world = await startWorld({ protocol })
  world.upstream.replyWith((request) => {
    const asked = request.text()
    const last = asked === '' ? '' : String(JSON.parse(asked).messages?.at(-1)?.content ?? '')
    const isStream = asked.includes('"stream":true')
    const isChat = request.path.startsWith('/v1/chat')
    const content = `got ${last}`
    if (!isStream) {
      const body = isChat
        ? {
            id: 'c',
            object: 'chat.completion',
            created: 1,
            model: 'm',
            choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
          }
        : {
            id: 'm',
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [{ type: 'text', text: content }],
            stop_reason: 'end_turn',
            stop_sequence: null,
            usage: { input_tokens: 1, output_tokens: 1 },
          }
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    }
    const words = content.split(/(?<= )/)
    const event = (value: object, name?: string) =>
      `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`
    const body = isChat
      ? [
          ...words.map((word) =>
            event({
              id: 'c',
              object: 'chat.completion.chunk',
              created: 1,
              model: 'm',
              choices: [{ index: 0, delta: { content: word } }],
            }),
          ),
          'data: [DONE]\n\n',
        ]
      : [
          event(
            {
              type: 'message_start',
              message: {
                id: 'm',
                type: 'message',
                role: 'assistant',
                model: 'm',
                content: [],
                stop_reason: null,
                stop_sequence: null,
                usage: { input_tokens: 1, output_tokens: 0 },
              },
            },
            'message_start',
          ),
          event(
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
            'content_block_start',
          ),
          ...words.map((text) =>
            event(
              { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
              'content_block_delta',
            ),
          ),
          event({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
          event(
            {
              type: 'message_delta',
              delta: { stop_reason: 'end_turn', stop_sequence: null },
              usage: { output_tokens: 2 },
            },
            'message_delta',
          ),
          event({ type: 'message_stop' }, 'message_stop'),
        ]
    return { headers: { 'content-type': 'text/event-stream' }, body }
  })
  const caFile = world.dir.join('ca', 'ca.crt')
  const hostCaFile = world.dir.join('host-ca.crt')
  await writeFile(hostCaFile, world.upstreamCa.cert)
  return { ...world, caFile, hostCaFile }
}

const chat = (content: string, stream = false) =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], stream })

describe.each(['https', 'h2'] as const)('with a host of %s', (protocol) => {
  describe.skipIf(!has('curl', '--version'))('curl', () => {
    it.each(['--http1.1', '--http2'])('%s is scanned, masked, blocked and streamed', async (version) => {
      await using world = await startAnswering(protocol)
      const url = `https://${world.target}/v1/chat/completions`
      const curl = (...more: readonly string[]) =>
        run('curl', [
          '-sS',
          version,
          '--noproxy',
          '',
          '-x',
          proxyUrl(world),
          '--cacert',
          world.caFile,
          '-w',
          ' %{http_code} %{http_version}',
          ...more,
        ])
      const number = version === '--http2' ? '2' : '1.1'
      const masked = await curl(url, '-d', chat('a secret'))
      expect(masked.stdout).toMatch(new RegExp(`got a \\[MASK\\].* 200 ${number}$`))
      expect((await curl(url, '-d', chat('forbidden'))).stdout).toMatch(new RegExp(`pii_blocked.* 400 ${number}$`))
      expect((await curl(url, '-N', '-d', chat('a secret', true))).stdout).toContain('[MASK]')
      expect((await curl(url, '-I')).stdout).toMatch(new RegExp(` 200 ${number}$`))
      expect((await curl(url, '--compressed', '-H', 'Expect: 100-continue', '-d', chat('x'))).stdout).toContain('got x')
      expect(world.upstream.requests.map((request) => request.text()).join()).not.toMatch(/secret|forbidden/)
    })

    it('a host that is not listed is tunnelled', async () => {
      await using world = await startAnswering(protocol)
      const url = `https://${OTHER}:${world.upstream.port}/v1/chat/completions`
      const { stdout } = await run('curl', [
        '-sS',
        '--noproxy',
        '',
        '-x',
        proxyUrl(world),
        '--cacert',
        world.hostCaFile,
        ...(protocol === 'h2' ? ['--http2'] : []),
        url,
        '-d',
        chat('a secret'),
      ])
      expect(stdout).toContain('got a secret')
      expect(await world.event('connect')).toMatchObject({ intercepted: false, host: OTHER })
    })
  })

  it("Node's own fetch over undici, with NODE_EXTRA_CA_CERTS", async () => {
    await using world = await startAnswering(protocol)
    const program = `
      import { fetch, EnvHttpProxyAgent, setGlobalDispatcher } from 'undici'
      setGlobalDispatcher(new EnvHttpProxyAgent({ allowH2: process.argv[1] === 'h2' }))
      const url = 'https://${world.target}/v1/chat/completions'
      for (const content of ['a secret', 'forbidden']) {
        for (const ask of [fetch, globalThis.fetch]) {
          const reply = await ask(url, { method: 'POST', body: JSON.stringify({ messages: [{ content }] }) })
          const { choices, error } = await reply.json()
          console.log(reply.status, choices?.[0].message.content ?? error.type)
        }
      }`
    const env = { HTTPS_PROXY: proxyUrl(world), NO_PROXY: '', NODE_EXTRA_CA_CERTS: world.caFile }
    for (const version of ['http/1.1', 'h2']) {
      const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program, version], env)
      expect([stdout, stderr]).toEqual(['200 got a [MASK]\n200 got a [MASK]\n400 pii_blocked\n400 pii_blocked\n', ''])
    }
  })

  it('the official clients, whole and streamed', async () => {
    await using world = await startAnswering(protocol)
    const program = `
      import OpenAI from 'openai'
      import Anthropic from '@anthropic-ai/sdk'
      import { EnvHttpProxyAgent } from 'undici'
      const fetchOptions = { dispatcher: new EnvHttpProxyAgent() }
      const openai = new OpenAI({ apiKey: 'k', baseURL: 'https://${world.target}/v1', fetchOptions, maxRetries: 0 })
      const anthropic = new Anthropic({ apiKey: 'k', baseURL: 'https://${world.target}', fetchOptions, maxRetries: 0 })
      const messages = (content) => [{ role: 'user', content }]
      const whole = await openai.chat.completions.create({ model: 'm', messages: messages('a secret') })
      console.log(whole.choices[0].message.content)
      let text = ''
      for await (const chunk of await openai.chat.completions.create({ model: 'm', messages: messages('a secret'), stream: true })) text += chunk.choices[0]?.delta.content ?? ''
      console.log(text)
      await openai.chat.completions.create({ model: 'm', messages: messages('forbidden') }).catch((error) => console.log(error.status, error.type))
      const message = await anthropic.messages.create({ model: 'm', max_tokens: 9, messages: messages('a secret') })
      console.log(message.content[0].text)
      console.log(await anthropic.messages.stream({ model: 'm', max_tokens: 9, messages: messages('a secret') }).finalText())
      await anthropic.messages.create({ model: 'm', max_tokens: 9, messages: messages('forbidden') }).catch((error) => console.log(error.status, error.error.error.type))`
    const env = { HTTPS_PROXY: proxyUrl(world), NO_PROXY: '', NODE_EXTRA_CA_CERTS: world.caFile }
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], env)
    const got = 'got a [MASK]'
    expect([stdout.trim().split('\n'), stderr]).toEqual([
      [got, got, '400 pii_blocked', got, got, '400 pii_blocked'],
      '',
    ])
    expect(world.upstream.requests[0]?.header('authorization')).toEqual(['Bearer k'])
  })

  describe.skipIf(!has('python3', '--version'))("Python's standard library", () => {
    it('is scanned, masked, blocked and streamed, with SSL_CERT_FILE', async () => {
      if (protocol === 'h2') return
      await using world = await startAnswering(protocol)
      const program = `
import json, urllib.error, urllib.request
url = 'https://${world.target}/v1/chat/completions'
def ask(content, stream=False):
    body = json.dumps({'messages': [{'content': content}], 'stream': stream}, separators=(',', ':')).encode()
    return urllib.request.urlopen(urllib.request.Request(url, body, {'content-type': 'application/json'}))
print(json.load(ask('a secret'))['choices'][0]['message']['content'])
print('[MASK]' in ask('a secret', True).read().decode())
try:
    ask('forbidden')
except urllib.error.HTTPError as error:
    print(error.code, json.load(error)['error']['type'])
`
      const env = {
        https_proxy: proxyUrl(world),
        HTTPS_PROXY: proxyUrl(world),
        no_proxy: '',
        NO_PROXY: '',
        SSL_CERT_FILE: world.caFile,
      }
      const { stdout, stderr } = await run('python3', ['-c', program], env)
      expect([stdout, stderr]).toEqual(['got a [MASK]\nTrue\n400 pii_blocked\n', ''])
    })
  })
})

describe.skipIf(!has('nginx', '-v'))('nginx as the host', () => {
  it('is scanned and relayed over HTTP/2 and HTTP/1.1', async () => {
    const probe = createServer()
    const port = await listenOnFreePort(probe)
    await new Promise<void>((resolve) => probe.close(() => resolve()))
    await using world = await startWorld()
    const { cert, key } = world.upstreamCa.issue([LISTED])
    await writeFile(world.dir.join('cert.pem'), cert)
    await writeFile(world.dir.join('key.pem'), key)
    await writeFile(
      world.dir.join('nginx.conf'),
      `daemon off; master_process off; worker_processes 1; error_log stderr; pid ${world.dir.path}/nginx.pid;
      events {}
      http {
        access_log off; client_body_temp_path ${world.dir.path}/body; proxy_temp_path ${world.dir.path}/proxy;
        fastcgi_temp_path ${world.dir.path}/f; uwsgi_temp_path ${world.dir.path}/u; scgi_temp_path ${world.dir.path}/s;
        server {
          listen 127.0.0.1:${port} ssl http2; ssl_certificate ${world.dir.join('cert.pem')}; ssl_certificate_key ${world.dir.join('key.pem')};
          location /v1/ { proxy_pass https://127.0.0.1:${world.upstream.port}; proxy_ssl_name ${LISTED}; proxy_set_header x-over $server_protocol; }
          location / { return 200 "nginx over $server_protocol"; }
        }
      }`,
    )
    const nginx = spawn('nginx', ['-p', world.dir.path, '-c', world.dir.join('nginx.conf')], { stdio: 'ignore' })
    try {
      const target = { ...world, target: `${LISTED}:${port}` }
      const { ask } = await import('./world.ts')
      const up = createDeferred<void>()
      const tryOnce = (): void =>
        void ask(target, 'h2', { method: 'GET', path: '/' }).then(({ status }) =>
          status === 200 ? up.resolve() : setImmediate(tryOnce),
        )
      tryOnce()
      await up.promise
      for (const client of ['http/1.1', 'h2'] as const) {
        expect((await ask(target, client, { method: 'GET', path: '/' })).body.toString()).toBe('nginx over HTTP/2.0')
        expect((await ask(target, client, { path: '/v1/messages', body: '{"a":"secret"}' })).status).toBe(200)
        expect((await ask(target, client, { path: '/v1/messages', body: '{"a":"forbidden"}' })).status).toBe(400)
        const big = Buffer.alloc(300_000, 'x')
        expect((await ask(target, client, { path: '/v1/files', body: big })).status).toBe(200)
        expect(world.upstream.requests.at(-1)?.body.length).toBe(big.length)
      }
      expect(world.upstream.requests.map((request) => request.text()).filter((text) => text.startsWith('{'))).toEqual([
        '{"a":"[MASK]"}',
        '{"a":"[MASK]"}',
      ])
    } finally {
      nginx.kill()
      await once(nginx, 'exit')
    }
  })
})
