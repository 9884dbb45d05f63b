import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packAndUnpack, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runBuilt, startBuiltServer } from '../support/built-server.ts'
import { postChat, readAnswer } from './open-chat.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const SERVER = fileURLToPath(new URL('../../', import.meta.url))
const LLAMA = fileURLToPath(new URL('../../../backends/llama/', import.meta.url))
/** Beyond this many characters a document is searched on a thread. */
const LARGE = 70_000
const SECRET = `sk-proj-${'a1B2'.repeat(10)}`

let installation: TempDir
let outside: string[]
const entry = (): string => installation.join('node_modules/@svc/server/dist/main.js')

/** Links a package of the workspace, or one that it has installed, into the installation. */
async function link(name: string, from: string): Promise<void> {
  const target = installation.join('node_modules', name)
  await mkdir(dirname(target), { recursive: true })
  await symlink(await realpath(join(from, 'node_modules', name)), target)
}

/** The steps of the workflow that releases, and the commands that it gives to its publishing action. */
interface Workflow {
  readonly jobs: {
    readonly release: {
      readonly steps: readonly { readonly run?: string; readonly with?: Readonly<Record<string, unknown>> }[]
    }
  }
}
const { steps } = (parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')) as Workflow).jobs.release
const commands = steps.flatMap((step) => step.run ?? [])
const publishing = steps.at(-1)?.with
/** A check of everything, which the usual run of CI makes beside the tests. */
const CHECKS = 'pnpm types && pnpm check:publish'

/** Runs the commands of the workflow, one after the other, as its runner does. */
async function runWorkflow(): Promise<void> {
  const path = join(await realpath(installation.path), 'github-path')
  for (const command of commands) {
    if (command === CHECKS && process.env.SVC_LONG !== '1') continue
    const added = existsSync(path) ? (await readFile(path, 'utf8')).trim().split('\n') : []
    const env = { ...process.env, GITHUB_PATH: path, PATH: [...added, process.env.PATH].join(':') }
    await run('bash', ['-e', '-c', command], { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 })
  }
}

beforeAll(async () => {
  installation = await tempDir('svc-e2e-')
  await runWorkflow()
  const ofServer = await packAndUnpack('@svc/server', installation.path)
  const ofLlama = await packAndUnpack('@svc/backend-llama', installation.path)
  outside = [...ofServer, ...ofLlama].sort()
  for (const name of ofServer) if (name !== '@svc/backend-llama') await link(name, SERVER)
  for (const name of ofLlama) await link(name, LLAMA)
})
afterAll(() => installation.close())

describe('the packed server', () => {
  it('has only the dependencies that its bundle leaves outside', async () => {
    const own = ['@svc/backend-llama', '@svc/backend-onnx', '@svc/demo-models']
    expect(outside).toEqual(['@node-rs/argon2', ...own, 'bcrypt', 'fzstd', 'libsql', 'node-llama-cpp'])
    const installed = await readdir(installation.join('node_modules/@svc'))
    expect(installed.sort()).toEqual(['backend-llama', 'backend-onnx', 'demo-models', 'server'])
  })

  it.each(['server', 'backend-llama'])('ships the licence texts of the packages inside: %s', async (name) => {
    const file = installation.join('node_modules/@svc', name, 'dist/THIRD-PARTY-LICENSES.txt')
    const text = await readFile(file, 'utf8')
    for (const inside of ['@grpc/grpc-js', '@bufbuild/protobuf', 're2js']) {
      expect(text).toMatch(new RegExp(`^${inside} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'))
    }
    expect(text).toContain('Apache License')
    expect(text).toContain('Permission is hereby granted')
    expect(text).not.toContain('@svc/')
  })

  it('ships the web interface with the licence texts of what is in it', async () => {
    const text = await readFile(installation.join('node_modules/@svc/server/dist/web/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const inside of ['react', 'react-dom', '@tanstack/react-router', 'react-aria-components', 'uplot']) {
      expect(text).toMatch(new RegExp(`^${inside} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'))
    }
    expect(text).not.toMatch(/^(?:@svc\/|vite )/m)
    await using server = await startBuiltServer({ entry: entry() })
    const browser = { accept: 'text/html', 'accept-encoding': 'br' }
    const page = await (await fetch(server.url, { headers: browser })).text()
    const [, script] = /<script type="module"[^>]* src="\.\/(assets\/[^"]+)"/.exec(page) ?? []
    const reply = await fetch(`${server.url}/${script}`, { headers: browser })
    expect([reply.status, reply.headers.get('content-encoding'), reply.headers.get('cache-control')]).toEqual([
      ...[200, 'br', 'public, max-age=31536000, immutable'],
    ])
  })

  it('is released by commands that this test has run, and packed by pnpm', () => {
    expect(commands).toEqual(['node scripts/bootstrap.mjs build --all', expect.stringContaining('GITHUB_PATH'), CHECKS])
    expect(publishing).toEqual({ publish: 'pnpm changeset publish', version: 'pnpm changeset version' })
  })

  it('knows its commit after every kind of build, at the command line and at /version', async () => {
    const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT })).stdout.slice(0, 7)
    await using server = await startBuiltServer({ entry: entry() })
    const { version } = (await (await fetch(`${server.url}/version`)).json()) as { version: string }
    expect(version).toMatch(new RegExp(`^\\d+\\.\\d+\\.\\d+ \\(${commit}\\)$`))
    const { code, stdout } = await runBuilt(server.folder, ['--version'], { entry: entry() })
    expect([code, stdout]).toEqual([0, version])
    // A build by turbo alone leaves no commit behind: packing writes it.
    const { scripts } = JSON.parse(await readFile(join(SERVER, 'package.json'), 'utf8'))
    expect(scripts.prepack).toBe('node ../../scripts/write-commit.mjs')
  })

  it.each(['server', 'backend-llama'])('carries its changelog: %s', async (name) => {
    const text = await readFile(installation.join('node_modules/@svc', name, 'CHANGELOG.md'), 'utf8')
    expect(text).toMatch(new RegExp(`^# @svc/${name}\n`))
  })

  it('serves without the optional packages of OpenTelemetry, and says so where spans are asked for', async () => {
    await using server = await startBuiltServer({
      entry: entry(),
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    })
    expect(await readAnswer(await postChat(server.url, 'demo'))).not.toBe('')
    await server.logged('no spans are sent: the exporter of OpenTelemetry cannot be loaded')
  })

  it('serves chats, threads, migrations and the API page from its bundle', async () => {
    await using server = await startBuiltServer({ entry: entry() })
    const get = (path: string): Promise<Response> => fetch(`${server.url}${path}`)
    expect((await get('/readyz')).status).toBe(200)
    expect(await readAnswer(await postChat(server.url, 'demo'))).not.toBe('')

    await writeFile(
      join(server.folder, 'models/secrets.yaml'),
      JSON.stringify({ name: 'secrets', backend: 'pattern', pii_detection: { builtins: ['provider_a_api_key'] } }),
    )
    const text = `${'word '.repeat(LARGE / 5)}${SECRET}`
    const analysis = await fetch(`${server.url}/api/pii/analyze`, {
      method: 'POST',
      body: JSON.stringify({ text, detectors: ['secrets'] }),
    })
    expect(await analysis.json()).toMatchObject({ entities: [{ start: LARGE, end: text.length }] })
    // The event of the finding is a row of the database.
    const { events } = (await (await get('/api/pii/events')).json()) as { events: unknown[] }
    expect(events).toHaveLength(1)

    const { paths } = (await (await get('/swagger/doc.json')).json()) as { paths: object }
    expect(Object.keys(paths)).toContain('/v1/chat/completions')
    expect((await get('/swagger/swagger-ui-bundle.js')).status).toBe(200)
    expect(await (await get('/metrics')).text()).toContain('svc_tokens_total{kind="prompt"}')
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  })
})
