import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeMockLauncher } from '@svc/backend-mock/script'
import { type HttpServer, listenOnFreePort, startHttpServer, tempDir } from '@svc/test-kit'
import { makeTar, type TarEntry } from '../../src/oci/__fixtures__/tar.ts'
import type { OlderSignature } from './signer.ts'

/** An image: its manifest, and its blobs by their digests. */
export interface TestImage {
  readonly manifest: Buffer
  readonly mediaType: string
  readonly blobs: ReadonlyMap<string, Buffer>
}

/** The digest of bytes. */
export function computeDigest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json'
const INDEX = 'application/vnd.oci.image.index.v1+json'
const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch

/** An image of layers, each a list of members. */
export function makeImage(layers: readonly (readonly TarEntry[])[]): TestImage {
  const tars = layers.map(makeTar)
  const packed = tars.map((tar) => gzipSync(tar))
  const config = Buffer.from(
    JSON.stringify({
      architecture: ARCHITECTURE,
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: tars.map(computeDigest) },
    }),
  )
  const describeBlob = (bytes: Buffer, mediaType: string) => ({
    mediaType,
    digest: computeDigest(bytes),
    size: bytes.length,
  })
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: describeBlob(config, 'application/vnd.oci.image.config.v1+json'),
      layers: packed.map((layer) => describeBlob(layer, 'application/vnd.oci.image.layer.v1.tar+gzip')),
    }),
  )
  return {
    manifest,
    mediaType: MANIFEST,
    blobs: new Map([config, ...packed].map((bytes) => [computeDigest(bytes), bytes])),
  }
}

/** A list of images, one for this machine and one for another. */
export function makeIndex(image: TestImage): TestImage {
  const other = { architecture: 's390x', os: 'linux' }
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: INDEX,
      manifests: [
        { mediaType: MANIFEST, digest: `sha256:${'0'.repeat(64)}`, size: 2, platform: other },
        {
          mediaType: MANIFEST,
          digest: computeDigest(image.manifest),
          size: image.manifest.length,
          platform: { architecture: ARCHITECTURE, os: 'linux' },
        },
      ],
    }),
  )
  return {
    manifest,
    mediaType: INDEX,
    blobs: new Map([...image.blobs, [computeDigest(image.manifest), image.manifest]]),
  }
}

/** The files of a backend that is the mock, answering with a text. */
export async function mockBackendFiles(text: string): Promise<readonly TarEntry[]> {
  await using dir = await tempDir()
  writeMockLauncher({ folder: dir.path, script: { rules: [{ rpc: 'Predict*', do: { text } }] } })
  const names = (await readdir(dir.path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  return Promise.all(
    names.map(async (entry) => ({
      name: entry.name,
      // Its script is beside it, wherever that is.
      content: (await readFile(join(entry.parentPath, entry.name), 'utf8')).replace(
        `'${dir.path}/run.sh.script.json'`,
        '"$(dirname "$0")/run.sh.script.json"',
      ),
      mode: 0o755,
    })),
  )
}

/** Why the real registry cannot be run here; undefined where it can. */
export function whyNoRegistry(): string | undefined {
  for (const [program, args] of [
    ['docker-registry', ['--version']],
    ['skopeo', ['--version']],
  ] as const) {
    const { error, status } = spawnSync(program, args, { stdio: 'ignore' })
    if (error !== undefined || status !== 0) return `tests with a registry do not run: ${program} is missing`
  }
  return undefined
}

/** A registry with images. */
export interface TestRegistry extends AsyncDisposable {
  /** Host and port. */
  readonly host: string
  /** Puts an image under `repository:tag`. */
  push(image: TestImage, name: string, options?: { readonly compression?: 'zstd' }): Promise<void>
}

/** Starts the registry of the system on a free port. */
export async function startRegistry(): Promise<TestRegistry> {
  const dir = await tempDir()
  const probe = createServer()
  const port = await listenOnFreePort(probe)
  await new Promise((resolve) => probe.close(resolve))
  const host = `127.0.0.1:${port}`
  await writeFile(
    dir.join('config.yml'),
    `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${dir.join('data')}}}\nhttp: {addr: "${host}"}\n`,
  )
  const child = spawn('docker-registry', ['serve', dir.join('config.yml')], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  for (let isUp = false; !isUp; ) {
    if (child.exitCode !== null) throw new Error('the registry ended')
    isUp = await fetch(`http://${host}/v2/`).then(
      ({ status }) => status === 200,
      () => false,
    )
  }
  return {
    host,
    async push(image, name, { compression } = {}) {
      const layout = dir.join(`layout-${Math.random()}`)
      await mkdir(join(layout, 'blobs/sha256'), { recursive: true })
      await writeFile(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
      const descriptor = {
        mediaType: image.mediaType,
        digest: computeDigest(image.manifest),
        size: image.manifest.length,
      }
      const manifests = [{ ...descriptor, annotations: { 'org.opencontainers.image.ref.name': 'x' } }]
      await writeFile(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }))
      for (const bytes of [image.manifest, ...image.blobs.values()]) {
        await writeFile(join(layout, 'blobs/sha256', computeDigest(bytes).slice('sha256:'.length)), bytes)
      }
      const format = compression === undefined ? [] : ['--dest-compress-format', compression, '--dest-compress']
      const args = ['copy', '--insecure-policy', '--dest-tls-verify=false', ...format]
      const { status, stderr } = spawnSync('skopeo', [...args, `oci:${layout}:x`, `docker://${host}/${name}`], {
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`skopeo: ${stderr}`)
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
      await dir.close()
    },
  }
}

/** An answer in the place of the right one: a body, a status, or both with headers. */
export type RegistryLie =
  | Buffer
  | number
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: Buffer | string }

/** A registry of our own that asks for tokens and can lie. */
export interface FakeRegistry extends TestRegistry {
  /** Requests with their `Authorization`, in order. */
  readonly requests: readonly { readonly path: string; readonly authorization: string | undefined }[]
  /** Answers in the place of the registry. */
  readonly lies: Map<string, RegistryLie>
  /** Attaches signature bundles to a digest, in the list of referrers or under its tag. */
  attach(repository: string, digest: string, bundles: readonly string[], place?: 'referrers' | 'tag'): void
  /** Puts a signature of the older form under its tag. */
  attachOlder(repository: string, digest: string, signature: OlderSignature): void
  /** Paths of everything below a digest. */
  blobPaths(): readonly string[]
  /** Called with every request before it is answered. */
  onRequest: (path: string) => void
  /** The token service of the challenge. @default the registry itself */
  realm: string
  close(): Promise<void>
}

const TOKEN = 'a-token'

/** Starts the registry on a free port. */
export async function startFakeRegistry(): Promise<FakeRegistry> {
  const contents = new Map<string, { readonly bytes: Buffer; readonly type: string }>()
  const requests: { path: string; authorization: string | undefined }[] = []
  const lies = new Map<string, RegistryLie>()
  const server: HttpServer = await startHttpServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://registry')
    const { authorization } = request.headers
    requests.push({ path: url.pathname + url.search, authorization })
    registry.onRequest(url.pathname)
    const lie = lies.get(url.pathname)
    if (typeof lie === 'object' && 'status' in lie) {
      return void response.writeHead(lie.status, lie.headers).end(lie.body)
    }
    if (url.pathname === '/token') return void response.end(JSON.stringify({ token: TOKEN }))
    if (authorization !== `Bearer ${TOKEN}`) {
      const challenge = `Bearer realm="${registry.realm}",service="fake",scope="repository:*:push,pull"`
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    if (typeof lie === 'number') return void response.writeHead(lie).end()
    const found = contents.get(url.pathname)
    if (found === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': found.type }).end(lie ?? found.bytes)
  })
  const registry: FakeRegistry = {
    host: `127.0.0.1:${server.port}`,
    requests,
    lies,
    blobPaths: () => [...contents.keys()].filter((path) => path.includes('/blobs/')),
    onRequest: () => undefined,
    attach(repository, digest, bundles, place = 'referrers') {
      const base = `/v2/${repository}`
      const manifests = bundles.map((bundle) => {
        const bytes = Buffer.from(bundle)
        const layers = [{ mediaType: BUNDLE, digest: computeDigest(bytes), size: bytes.length }]
        const manifest = Buffer.from(
          JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, artifactType: BUNDLE, layers }),
        )
        contents.set(`${base}/blobs/${computeDigest(bytes)}`, { bytes, type: 'application/octet-stream' })
        contents.set(`${base}/manifests/${computeDigest(manifest)}`, { bytes: manifest, type: MANIFEST })
        const size = manifest.length
        return { mediaType: MANIFEST, digest: computeDigest(manifest), size, artifactType: BUNDLE }
      })
      const path = place === 'tag' ? `${base}/manifests/${digest.replace(':', '-')}` : `${base}/referrers/${digest}`
      const list = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests })
      contents.set(path, { bytes: Buffer.from(list), type: INDEX })
    },
    attachOlder(repository, digest, { payload, annotations }) {
      const base = `/v2/${repository}`
      const mediaType = 'application/vnd.dev.cosign.simplesigning.v1+json'
      const layers = [{ mediaType, digest: computeDigest(payload), size: payload.length, annotations }]
      contents.set(`${base}/blobs/${computeDigest(payload)}`, { bytes: payload, type: 'application/octet-stream' })
      contents.set(`${base}/manifests/${digest.replace(':', '-')}.sig`, {
        bytes: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, layers })),
        type: MANIFEST,
      })
    },
    realm: `${server.origin}/token`,
    async push({ manifest, mediaType, blobs }, name) {
      const [repository = '', tag = 'latest'] = name.split(':')
      for (const reference of [tag, computeDigest(manifest)]) {
        contents.set(`/v2/${repository}/manifests/${reference}`, { bytes: manifest, type: mediaType })
      }
      for (const [digest, bytes] of blobs) {
        contents.set(`/v2/${repository}/blobs/${digest}`, { bytes, type: 'application/octet-stream' })
        contents.set(`/v2/${repository}/manifests/${digest}`, { bytes, type: MANIFEST })
      }
    },
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
  return registry
}
