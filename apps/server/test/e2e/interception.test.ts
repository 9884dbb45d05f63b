import { execFile, execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { askHttp1, connectTlsThrough, patienceMs, type RecordedRequest, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type AnsweringHost, startAnsweringHost } from '../support/answering-host.ts'
import { BUILT_ENTRY, type BuiltServer, runBuilt, startBuiltServer } from '../support/built-server.ts'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))
/** No model lists this host: it is tunnelled. */
const UNLISTED = '127.0.0.1'

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd: PACKAGE, env: { ...process.env, ...env }, timeout: patienceMs() }
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
    )
  })
}

/** Says in one line that a program is missing. */
function find(...names: readonly string[]): string | undefined {
  for (const name of names) {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' })
      return name
    } catch {
      // the next name may be there
    }
  }
  console.info(`not run: ${names.join(', ')} is missing`)
  return undefined
}

/** A built server in front of a host, with the variables of its clients. */
interface World extends AsyncDisposable {
  readonly server: BuiltServer
  readonly host: AnsweringHost
  readonly dir: TempDir
  /** The URL of the listed host. */
  readonly url: string
  /** The same host under a name that no model lists. */
  readonly unlistedUrl: string
  readonly proxy: string
  readonly caFile: string
  /** The authority of the host itself, which clients of tunnels trust. */
  readonly hostCaFile: string
  readonly env: Readonly<Record<string, string>>
}

async function startWorld(protocol: 'https' | 'h2', page?: string): Promise<World> {
  const dir = await tempDir('svc-e2e-')
  const host = await startAnsweringHost(protocol, page)
  const hostCaFile = dir.join('host.crt')
  await writeFile(hostCaFile, host.ca.cert)
  await mkdir(dir.join('models'))
  const patterns = [
    { name: 'SECRET', match: 'secret-[0-9]{4}' },
    { name: 'FORBIDDEN', match: 'forbidden', action: 'block' },
  ]
  const models = [
    { name: 'words', backend: 'pattern', pii_detection: { patterns } },
    {
      name: 'guard',
      mitm: { hosts: ['localhost'] },
      pii: { enabled: true, detectors: ['words'], reversible_redactions: true },
    },
  ]
  for (const model of models) await writeFile(dir.join('models', `${model.name}.yaml`), stringify(model))
  const server = await startBuiltServer({
    folder: dir.path,
    flags: ['--mitm-listen', '127.0.0.1:0', '--mitm-extra-ca', hostCaFile],
    env: { SVC_DEMO_MODEL: 'false' },
  })
  const { address } = await server.logged('the intercepting proxy is listening')
  const proxy = `http://${String(address)}`
  return {
    server,
    host,
    dir,
    proxy,
    hostCaFile,
    url: `https://localhost:${host.upstream.port}`,
    unlistedUrl: `https://${UNLISTED}:${host.upstream.port}`,
    caFile: dir.join('data', 'mitm-ca', 'ca.crt'),
    env: { HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: '', no_proxy: '' },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
      await dir.close()
    },
  }
}

const chat = (content: string, stream = false) => JSON.stringify({ messages: [{ role: 'user', content }], stream })
const isTunnelled = ({ header }: RecordedRequest) =>
  [...header('host'), ...header(':authority')].some((host) => host.startsWith(UNLISTED))
/** A text with a value that is masked on its way and restored on the way back. */
const SAID = 'my secret-1234'
const RESTORED = `got ${SAID}`

describe.each(['https', 'h2'] as const)('with a host of %s', (protocol) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(protocol)
  })
  afterAll(async () => {
    const seen = world.host.upstream.requests.filter((request) => !isTunnelled(request))
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.map((request) => request.text()).join()).not.toMatch(/secret-1234|forbidden/)
    await world[Symbol.asyncDispose]()
  })

  const curl = find('curl')
  describe.skipIf(curl === undefined)('curl', () => {
    it.each(['--http1.1', '--http2'])('%s: masked, restored, blocked, streamed, tunnelled', async (version) => {
      const ask = (...more: readonly string[]) =>
        run('curl', [
          '-sS',
          version,
          '--noproxy',
          '',
          '-x',
          world.proxy,
          '--cacert',
          world.caFile,
          '-w',
          ' %{http_code} %{http_version}',
          ...more,
        ])
      const number = version === '--http2' ? '2' : '1.1'
      const url = `${world.url}/v1/chat/completions`
      expect((await ask(url, '-d', chat(SAID))).stdout).toMatch(new RegExp(`${RESTORED}.* 200 ${number}$`))
      expect(world.host.upstream.requests.at(-1)?.text()).toBe(chat('my [REDACTED:SECRET_001]'))
      const streamed = (await ask(url, '-N', '-d', chat(SAID, true))).stdout
      expect(Array.from(streamed.matchAll(/"content":"(.*?)"/g), ([, text]) => text).join('')).toBe(RESTORED)
      expect((await ask(url, '-d', chat('forbidden'))).stdout).toMatch(new RegExp(`pii_blocked.* 400 ${number}$`))
      const tunnelled = await ask(
        `${world.unlistedUrl}/v1/chat/completions`,
        '--cacert',
        world.hostCaFile,
        // A tunnel speaks the protocol of the host.
        ...(protocol === 'h2' ? ['--http2'] : []),
        '-d',
        chat('forbidden'),
      )
      expect(tunnelled.stdout).toContain('got forbidden')
    })
  })

  it("Node's own fetch and undici, over HTTP/1.1 and HTTP/2, with NODE_EXTRA_CA_CERTS", async () => {
    const program = `
      import { EnvHttpProxyAgent, fetch, ProxyAgent, setGlobalDispatcher } from 'undici'
      const allowH2 = process.argv[1] === 'h2'
      setGlobalDispatcher(new EnvHttpProxyAgent({ allowH2 }))
      const url = '${world.url}/v1/chat/completions'
      const dispatcher = new ProxyAgent({ uri: '${world.proxy}', allowH2 })
      for (const content of ['${SAID}', 'forbidden']) {
        for (const ask of [fetch, globalThis.fetch, (to, options) => fetch(to, { ...options, dispatcher })]) {
          const reply = await ask(url, { method: 'POST', body: JSON.stringify({ messages: [{ content }] }) })
          const { choices, error } = await reply.json()
          console.log(reply.status, choices?.[0].message.content ?? error.type)
        }
      }`
    for (const version of ['http/1.1', 'h2']) {
      const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program, version], {
        ...world.env,
        NODE_EXTRA_CA_CERTS: world.caFile,
      })
      expect([stdout, stderr]).toEqual([`${`200 ${RESTORED}\n`.repeat(3)}${'400 pii_blocked\n'.repeat(3)}`, ''])
    }
  })

  it('the official clients, whole and streamed', async () => {
    const program = `
      import OpenAI from 'openai'
      import Anthropic from '@anthropic-ai/sdk'
      import { EnvHttpProxyAgent } from 'undici'
      const common = { apiKey: 'k', fetchOptions: { dispatcher: new EnvHttpProxyAgent() }, maxRetries: 0 }
      const openai = new OpenAI({ ...common, baseURL: '${world.url}/v1' })
      const anthropic = new Anthropic({ ...common, baseURL: '${world.url}' })
      const asked = (content) => ({ model: 'm', messages: [{ role: 'user', content }] })
      console.log((await openai.chat.completions.create(asked('${SAID}'))).choices[0].message.content)
      let text = ''
      for await (const chunk of await openai.chat.completions.create({ ...asked('${SAID}'), stream: true })) text += chunk.choices[0]?.delta.content ?? ''
      console.log(text)
      await openai.chat.completions.create(asked('forbidden')).catch((error) => console.log(error.status, error.type))
      const limited = (content) => ({ ...asked(content), max_tokens: 9 })
      console.log((await anthropic.messages.create(limited('${SAID}'))).content[0].text)
      console.log(await anthropic.messages.stream(limited('${SAID}')).finalText())
      await anthropic.messages.create(limited('forbidden')).catch((error) => console.log(error.status, error.error.error.type))`
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], {
      ...world.env,
      NODE_EXTRA_CA_CERTS: world.caFile,
    })
    const answers = [RESTORED, RESTORED, '400 pii_blocked']
    expect([stdout.trim().split('\n'), stderr]).toEqual([[...answers, ...answers], ''])
    const keys = world.host.upstream.requests.flatMap((request) => request.header('authorization'))
    expect(keys).toContain('Bearer k')
  })

  const python = find('python3')
  describe.skipIf(python === undefined)("Python's standard library", () => {
    it('masked, restored, blocked and streamed, with SSL_CERT_FILE', async () => {
      const program = `
import json, urllib.error, urllib.request
url = '${world.url}/v1/chat/completions'
def ask(content, stream=False):
    body = json.dumps({'messages': [{'content': content}], 'stream': stream}).encode()
    return urllib.request.urlopen(urllib.request.Request(url, body, {'content-type': 'application/json'}))
print(json.load(ask('${SAID}'))['choices'][0]['message']['content'])
lines = ask('${SAID}', True).read().decode().split('\\n\\n')
print(''.join(json.loads(line[6:])['choices'][0]['delta']['content'] for line in lines if line.startswith('data: {')))
try:
    ask('forbidden')
except urllib.error.HTTPError as error:
    print(error.code, json.load(error)['error']['type'])
`
      const { stdout, stderr } = await run('python3', ['-c', program], { ...world.env, SSL_CERT_FILE: world.caFile })
      expect([stdout, stderr]).toEqual([`${RESTORED}\n${RESTORED}\n400 pii_blocked\n`, ''])
    })
  })
})

const chromium = find('chromium', 'chromium-browser', 'google-chrome')
const certutil = chromium === undefined ? undefined : findCertutil()

function findCertutil(): string | undefined {
  try {
    // It has no --version and ends with code 1.
    execFileSync('sh', ['-c', 'command -v certutil'], { stdio: 'ignore' })
    return 'certutil'
  } catch {
    console.info('not run: certutil is missing, without which Chromium trusts no authority')
    return undefined
  }
}

describe.skipIf(certutil === undefined)('Chromium', () => {
  it('masked, restored, blocked and streamed, with the authority in its database', async () => {
    const page = `<!doctype html><pre id="out"></pre><script type="module">
      const ask = (content, stream) => fetch('/v1/chat/completions', { method: 'POST', body: JSON.stringify({ messages: [{ content }], stream }) })
      const lines = []
      lines.push((await (await ask('${SAID}', false)).json()).choices[0].message.content)
      const events = (await (await ask('${SAID}', true)).text()).split('\\n\\n').filter((line) => line.startsWith('data: {'))
      lines.push(events.map((line) => JSON.parse(line.slice(6)).choices[0].delta.content).join(''))
      const refused = await ask('forbidden', false)
      lines.push(refused.status + ' ' + (await refused.json()).error.type)
      document.getElementById('out').textContent = lines.join('|')
    </script>`
    await using world = await startWorld('h2', page)
    const database = world.dir.join('.pki', 'nssdb')
    await mkdir(database, { recursive: true })
    await run('certutil', ['-d', `sql:${database}`, '-N', '--empty-password'])
    const added = await run('certutil', ['-d', `sql:${database}`, '-A', '-t', 'C,,', '-n', 'svc', '-i', world.caFile])
    expect(added).toMatchObject({ code: 0 })
    const { stdout } = await run(
      chromium ?? '',
      [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--virtual-time-budget=20000'],
        `--user-data-dir=${world.dir.join('profile')}`,
        `--proxy-server=${world.proxy}`,
        '--proxy-bypass-list=<-loopback>',
        '--dump-dom',
        `${world.url}/page`,
      ],
      { HOME: world.dir.path },
    )
    expect(stdout).toContain(`${RESTORED}|${RESTORED}|400 pii_blocked`)
    expect(world.host.upstream.requests.map((request) => request.text()).join()).not.toMatch(/secret-1234|forbidden/)
  })
})

/** A zstd frame that stores a short text as it is. */
function toZstd(text: string): Buffer {
  const bytes = Buffer.from(text)
  const header = Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length)
  const block = Buffer.alloc(3)
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3)
  return Buffer.concat([header, block, bytes])
}

it('the built server scans bodies in every coding', async () => {
  await using world = await startWorld('https')
  const [url, body] = [new URL(`${world.url}/v1/chat/completions`), chat(SAID)]
  const codings: Readonly<Record<string, Buffer>> = {
    identity: Buffer.from(body),
    gzip: gzipSync(body),
    deflate: deflateSync(body),
    br: brotliCompressSync(body),
    zstd: toZstd(body),
  }
  const ca = await readFile(world.caFile, 'utf8')
  for (const [coding, coded] of Object.entries(codings)) {
    const tls = await connectTlsThrough({ port: Number(new URL(world.proxy).port) }, url.host, { ca })
    const reply = await askHttp1(tls, url.host, {
      path: url.pathname,
      headers: { 'content-encoding': coding },
      body: coded,
    })
    tls.destroy()
    expect([coding, reply.status]).toEqual([coding, 200])
    expect(world.host.upstream.requests.at(-1)?.text()).toBe(chat('my [REDACTED:SECRET_001]'))
  }
})

describe('svc mitm ca', () => {
  it('prints the path, the fingerprint and advice for clients, and makes nothing', async () => {
    await using dir = await tempDir('svc-e2e-')
    const early = await runBuilt(dir.path, ['mitm', 'ca'])
    expect([early.code, early.stdout, early.stderr]).toEqual([1, '', expect.stringContaining('holds no authority yet')])
    const flags = ['--mitm-listen', '127.0.0.1:0']
    {
      await using server = await startBuiltServer({ folder: dir.path, flags })
      await server.logged('the intercepting proxy is listening')
      await server.stop()
    }
    const { code, stdout } = await runBuilt(dir.path, ['mitm', 'ca', '--mitm-listen', '127.0.0.1:8888'])
    const path = dir.join('data', 'mitm-ca', 'ca.crt')
    const printed = await run('openssl', ['x509', '-in', path, '-noout', '-fingerprint', '-sha256'])
    const [, fingerprint] = printed.stdout.trim().split('=')
    expect(code).toBe(0)
    for (const part of [
      path,
      `SHA-256 ${fingerprint}`,
      'http://127.0.0.1:8888',
      'NODE_EXTRA_CA_CERTS',
      'curl --cacert',
    ]) {
      expect(stdout).toContain(part)
    }
    expect(stdout).not.toContain('PRIVATE')
  })
})

describe('kill -9 while the authority is made', () => {
  it('leaves no authority or a whole one, which the next start uses', async () => {
    await using dir = await tempDir('svc-e2e-')
    const caFile = dir.join('data', 'mitm-ca', 'ca.crt')
    const flags = ['--mitm-listen', '127.0.0.1:0']
    let known: string | undefined
    for (const message of ['listening', 'the intercepting proxy is listening', 'listening']) {
      await using server = await startBuiltServer({ folder: dir.path, flags })
      await server.logged(message)
      await server.kill()
      const made = await readFile(caFile, 'utf8').catch(() => undefined)
      if (known !== undefined) expect(made).toBe(known)
      known = made
    }
    await using server = await startBuiltServer({ folder: dir.path, flags })
    await server.logged('the intercepting proxy is listening')
    expect(await readFile(caFile, 'utf8')).toBe(known)
    expect(server.log().filter(({ level }) => level === 'error')).toEqual([])
  })
})

it('a start without interception loads nothing of it', async () => {
  // The start is one file; modules that are loaded later have files of their own.
  const marker = 'mitm_listen_failed'
  expect(await readFile(BUILT_ENTRY, 'utf8')).not.toContain(marker)
  const folder = dirname(BUILT_ENTRY)
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  const holders: string[] = []
  for (const name of files) if ((await readFile(join(folder, name), 'utf8')).includes(marker)) holders.push(name)
  expect(holders).not.toEqual([])
})
