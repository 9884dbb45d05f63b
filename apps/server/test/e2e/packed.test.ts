import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  eventually,
  installGlobally,
  listCodeBlocks,
  packPackage,
  type RegisteredPackage,
  startFileOrigin,
  startOtlpReceiver,
  startPackageRegistry,
  type TempDir,
  tempDir,
} from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CHROMIUM_OFFER } from '../../src/realtime/calls/sdp/__fixtures__/chromium-offer.ts'
import { runBuilt, startBuiltServer } from '../support/built-server.ts'
import { postChat, readAnswer } from './open-chat.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const SERVER = fileURLToPath(new URL('../../', import.meta.url))
/** Beyond this many characters a document is searched on a thread. */
const LARGE = 70_000
const SECRET = `sk-proj-${'a1B2'.repeat(10)}`
/** Most that an installation may take on the disk. */
const MAX_INSTALLED_MB = 200

let installation: TempDir
/** The folder of the packages that the documented command has installed. */
let installed: string
let packages: ReadonlyMap<string, RegisteredPackage>
const entry = (): string => join(installed, '@svc/server/dist/main.js')
const inPackage = (name: string, ...path: string[]): string =>
  name === '@svc/server' ? join(installed, name, ...path) : join(installed, '@svc/server/node_modules', name, ...path)

/** Fields of a manifest: the machines that a package is for, and the packages that it needs. */
interface Manifest {
  readonly name: string
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const fits = ({ os, cpu }: Manifest): boolean =>
  (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true)

/** Packs everything that the release publishes for the server. */
async function packAll(): Promise<readonly RegisteredPackage[]> {
  const tarballs = installation.join('tarballs')
  const engines = installation.join('engines')
  await run(process.execPath, ['scripts/engine-packages.mjs', engines], { cwd: ROOT })
  const all: RegisteredPackage[] = []
  for (const name of ['server', 'backend-llama', 'backend-onnx', 'backend-speech', 'demo-models'].map(
    (each) => `@svc/${each}`,
  )) {
    all.push(await packPackage(tarballs, name))
  }
  for (const name of await readdir(engines)) {
    const folder = join(engines, name)
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as RegisteredPackage['manifest']
    all.push(fits(manifest) ? await packPackage(tarballs, folder) : { manifest })
  }
  return all
}

/** Manifests of all packages below a folder. */
function listInstalled(folder: string): readonly Manifest[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (name.startsWith('@')) return listInstalled(path)
    if (!existsSync(join(path, 'package.json'))) return []
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest
    const inner = join(path, 'node_modules')
    return [manifest, ...(existsSync(inner) ? listInstalled(inner) : [])]
  })
}

/** Space on the disk, as `du` counts it. */
function measureMb(path: string): number {
  const { blocks } = lstatSync(path)
  const inside = lstatSync(path).isDirectory() ? readdirSync(path).map((name) => measureMb(join(path, name))) : []
  return inside.reduce((sum, each) => sum + each, (blocks * 512) / 2 ** 20)
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
  const all = await packAll()
  packages = new Map(all.map((each) => [each.manifest.name, each]))
  const readme = await readFile(join(SERVER, 'README.md'), 'utf8')
  const [command = ''] = listCodeBlocks(readme, '')[0]?.split('\n') ?? []
  expect(command).toBe('npm install -g @svc/server')
  await using registry = await startPackageRegistry(all)
  const prefix = installation.join('prefix')
  await mkdir(prefix)
  installed = await installGlobally({ command, prefix, registry })
})
afterAll(() => installation.close())

const findManifest = (name: string): Manifest => packages.get(name)?.manifest ?? { name }

describe('the installed server', () => {
  it('takes 200 MB at most, and brings nothing for other machines or graphics cards', () => {
    const all = listInstalled(installed)
    expect(all.filter((manifest) => !fits(manifest))).toEqual([])
    expect(all.map(({ name }) => name).filter((name) => /cuda|vulkan|onnxruntime-node/.test(name))).toEqual([])
    expect(measureMb(installed)).toBeLessThanOrEqual(MAX_INSTALLED_MB)
  })

  it('has only the dependencies that its bundles leave outside', async () => {
    const own = ['@svc/backend-llama', '@svc/backend-onnx', '@svc/backend-speech', '@svc/demo-models']
    expect(Object.keys(findManifest('@svc/server').dependencies ?? {}).sort()).toEqual([
      ...['@evan/opus', '@node-rs/argon2', ...own, 'bcrypt', 'fzstd', 'libsql', 'mpg123-decoder'],
      'wasm-media-encoders',
    ])
    for (const backend of own.slice(0, -1)) {
      // codecs that read their own folder, or that users may replace by the terms of their licence
      const outside = backend === '@svc/backend-speech' ? ['@evan/opus', 'mpg123-decoder'] : []
      expect(Object.keys(findManifest(backend).dependencies ?? {}), backend).toEqual(outside)
    }
  })

  it('names a build of each engine for every system that has one, in the version of the engine', () => {
    const catalog = readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')
    const readVersion = (engine: string): string => new RegExp(`^  ${engine}: (\\S+)$`, 'm').exec(catalog)?.[1] ?? ''
    const expected = (engine: string, names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, readVersion(engine)]))
    expect(findManifest('@svc/backend-llama').optionalDependencies).toEqual(
      expected('node-llama-cpp', [
        ...['linux-x64', 'mac-arm64-metal', 'mac-x64', 'win-arm64', 'win-x64'].map((name) => `@node-llama-cpp/${name}`),
        ...['@svc/llama-linux-arm64', '@svc/llama-linux-armv7l'],
      ]),
    )
    const systems = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64']
    expect(findManifest('@svc/backend-onnx').optionalDependencies).toEqual(
      expected(
        'onnxruntime-node',
        systems.map((system) => `@svc/onnxruntime-${system}`),
      ),
    )
  })

  it('loads nothing that only a clone has: of its sources it brings programs of threads and steps of a schema', async () => {
    const files = (await readdir(inPackage('@svc/server', 'src'), { recursive: true })).filter((file) =>
      /\.\w+$/.test(file),
    )
    expect(files.filter((file) => !/\.sql$|_journal\.json$|\.mjs$/.test(file))).toEqual([])
    for (const file of files.filter((file) => file.endsWith('.mjs'))) {
      const text = await readFile(inPackage('@svc/server', join('src', file)), 'utf8')
      const loaded = [...text.matchAll(/^import .* from '(.+)'$/gm)].map(([, name]) => name)
      expect(loaded.filter((name) => !name?.startsWith('node:'))).toEqual([])
    }
    const index = Buffer.from('- { name: cedar, files: [{ filename: a.gguf, uri: "https://host.example/a.gguf" }] }\n')
    await using origin = await startFileOrigin({ files: { '/index.yaml': index } })
    const galleries = JSON.stringify([{ name: 'local', url: `${origin.origin}/index.yaml` }])
    await using server = await startBuiltServer({ entry: entry(), flags: [`--galleries=${galleries}`] })
    expect(await (await fetch(`${server.url}/models/available`)).text()).toContain('cedar')
  })

  it('answers with both engines', async () => {
    await using server = await startBuiltServer({ entry: entry() })
    expect(await readAnswer(await postChat(server.url, 'demo'))).not.toBe('')
    const analysis = await fetch(`${server.url}/api/pii/analyze`, {
      method: 'POST',
      body: JSON.stringify({ text: 'My name is Anna Schmidt', detectors: ['demo-ner'] }),
    })
    expect(await analysis.json()).toMatchObject({ entities: [{ entity_type: 'PER', start: 11, end: 23 }] })
  })

  it.each([
    ['server', ['re2js', '@opentelemetry/exporter-trace-otlp-proto']],
    ['backend-llama', ['@grpc/grpc-js', 're2js', 'node-llama-cpp']],
    ['backend-onnx', ['@grpc/grpc-js', 'onnxruntime-node', '@huggingface/tokenizers']],
    ['backend-speech', ['@grpc/grpc-js']],
  ])('ships the licence texts of the packages inside: %s', async (name, more) => {
    const text = await readFile(inPackage(`@svc/${name}`, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const inside of ['@bufbuild/protobuf', ...more]) {
      expect(text).toMatch(new RegExp(`^${inside} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'))
    }
    expect(text).toContain('Apache License')
    expect(text).toContain('Permission is hereby granted')
    expect(text).not.toContain('@svc/')
  })

  it('ships the web interface with the licence texts of what is in it', async () => {
    const text = await readFile(inPackage('@svc/server', 'dist/web/THIRD-PARTY-LICENSES.txt'), 'utf8')
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
    expect(publishing).toEqual({ publish: 'pnpm release', version: 'pnpm changeset version' })
  })

  it('knows its commit after every kind of build, at the command line and at /version', async () => {
    const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT })).stdout.slice(0, 7)
    await using server = await startBuiltServer({ entry: entry() })
    const { version } = (await (await fetch(`${server.url}/version`)).json()) as { version: string }
    expect(version).toMatch(new RegExp(`^\\d+\\.\\d+\\.\\d+ \\(${commit}\\)$`))
    const { code, stdout } = await runBuilt(server.folder, ['--version'], { entry: entry() })
    expect([code, stdout]).toEqual([0, version])
    // A build by turbo by itself leaves no commit behind: packing writes it.
    const { scripts } = JSON.parse(await readFile(join(SERVER, 'package.json'), 'utf8'))
    expect(scripts.prepack).toBe('node ../../scripts/write-commit.mjs')
  })

  it.each(['server', 'backend-llama', 'backend-onnx', 'backend-speech'])('carries its changelog: %s', async (name) => {
    const text = await readFile(inPackage(`@svc/${name}`, 'CHANGELOG.md'), 'utf8')
    expect(text).toMatch(new RegExp(`^# @svc/${name}\n`))
  })

  it('sends spans with the exporter in its bundle', async () => {
    await using receiver = await startOtlpReceiver()
    await using server = await startBuiltServer({
      entry: entry(),
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
    })
    expect(await readAnswer(await postChat(server.url, 'demo'))).not.toBe('')
    await eventually(() => expect(receiver.spans().map(({ name }) => name)).toContain('POST /v1/chat/completions'))
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
    const call = await fetch(`${server.url}/v1/realtime/calls?model=none`, {
      method: 'POST',
      headers: { 'content-type': 'application/sdp' },
      body: CHROMIUM_OFFER,
    })
    // The library of calls is there: without it the answer would be 501.
    expect([call.status, await call.text()]).toEqual([400, expect.stringContaining('no pipeline')])
    expect(await (await get('/metrics')).text()).toContain('svc_tokens_total{kind="prompt"}')
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  })
})
