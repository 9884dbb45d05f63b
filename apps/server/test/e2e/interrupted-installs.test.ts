import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileOrigin, startFileOrigin, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { hubPath, sha256 } from '../support/gallery-world.ts'
import { makeImage } from '../support/registry.ts'

const MIB = 1024 * 1024
/** 100 interrupts at every hundredth. */
const STEPS = Number(process.env.SVC_INTERRUPTION_STEPS ?? 4)
const SIZE = Number(process.env.SVC_INTERRUPTION_MIB ?? 12) * MIB
/** The shares of the files; no hundredth is a border between two. */
const SHARES = [0.433, 0.311, 0.256]

type Interruption = 'kill' | 'stop' | 'pause' | 'cut'

/** Something to install in two versions. */
interface Subject {
  /** Paths at the origin of the large files of a version, in the order in which they are fetched. */
  setVersion(version: number): readonly string[]
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
  install(server: BuiltServer): Promise<string>
  /** The files in its place, as one hash. */
  fingerprint(folder: string): Promise<string>
}

/** Bytes that do not compress. */
function noise(bytes: number, seed: string): Buffer {
  const pieces: Buffer[] = []
  let piece = createHash('sha512').update(seed).digest()
  for (let size = 0; size < bytes; size += piece.length) {
    pieces.push(piece)
    piece = createHash('sha512').update(piece).digest()
  }
  return Buffer.concat(pieces).subarray(0, bytes)
}

async function post(server: BuiltServer, path: string, body: unknown = {}): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await reply.json()) as Record<string, unknown>
}

async function get(server: BuiltServer, path: string): Promise<Record<string, unknown>> {
  return (await (await fetch(`${server.url}${path}`)).json()) as Record<string, unknown>
}

async function hashFolder(folder: string, isPart: (name: string) => boolean): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(folder).catch(() => [])).filter(isPart).sort()) {
    hash.update(`${name} ${sha256(await readFile(join(folder, name)))}\n`)
  }
  return hash.digest('hex')
}

function modelSubject(origin: FileOrigin): Subject {
  return {
    setVersion(version) {
      const files = SHARES.map((share, index) => ({
        filename: `part-${index}.bin`,
        content: noise(Math.floor(SIZE * share), `model ${version} ${index}`),
      }))
      for (const { filename, content } of files) origin.files.set(hubPath(filename), { content })
      const entry = {
        name: 'm',
        files: files.map(({ filename, content }) => ({
          filename,
          uri: `hf://owner/repo/${filename}`,
          sha256: sha256(content),
        })),
        overrides: { backend: 'mock', description: `version ${version}`, parameters: { model: 'part-0.bin' } },
      }
      origin.files.set('/index.yaml', { content: Buffer.from(stringify([entry])) })
      return files.map(({ filename }) => hubPath(filename))
    },
    flags: [`--galleries=${JSON.stringify([{ name: 'test', url: `${origin.origin}/index.yaml` }])}`],
    env: { HF_ENDPOINT: origin.origin },
    install: async (server) => String((await post(server, '/models/apply', { id: 'm' })).uuid),
    fingerprint: (folder) =>
      hashFolder(join(folder, 'models'), (name) => name === 'm.yaml' || name.startsWith('part-')),
  }
}

function imageSubject(origin: FileOrigin): Subject {
  const { host } = new URL(origin.origin)
  return {
    setVersion(version) {
      const run = { name: 'run.sh', content: `#!/bin/sh\n# ${version}\n`, mode: 0o755 }
      const layers = SHARES.map((share, index) => [
        ...(index === 0 ? [run] : []),
        { name: `part-${index}`, content: noise(Math.floor(SIZE * share), `image ${version} ${index}`) },
      ])
      const image = makeImage(layers)
      origin.files.set('/v2/o/engine/manifests/1', { content: image.manifest })
      const blobs = [...image.blobs].map(([digest, content]) => ({ path: `/v2/o/engine/blobs/${digest}`, content }))
      for (const { path, content } of blobs) origin.files.set(path, { content })
      const entry = { name: 'engine', uri: `${host}/o/engine:1`, version: String(version) }
      origin.files.set('/index.yaml', { content: Buffer.from(stringify([entry])) })
      // The first blob is its configuration, which nobody fetches.
      return blobs.slice(1).map(({ path }) => path)
    },
    flags: [
      `--backend-galleries=${JSON.stringify([{ name: 'test', url: `${origin.origin}/index.yaml` }])}`,
      '--content-url-allow=127.0.0.1',
    ],
    env: {},
    install: async (server) => String((await post(server, '/backends/apply', { id: 'engine', force: true })).id),
    fingerprint: (folder) => hashFolder(join(folder, 'backends/engine'), (name) => name !== 'metadata.json'),
  }
}

/** Has an origin stop after a share of all bytes. */
function stopAt(origin: FileOrigin, paths: readonly string[], position: number, how: 'cut' | 'stall'): void {
  let before = 0
  for (const path of paths) {
    const file = origin.files.get(path)
    if (file === undefined) throw new Error(`${path} is not at the origin`)
    file.stop = undefined
    const at = position - before
    if (at > 0 && at < file.content.length) file.stop = { at, how }
    before += file.content.length
  }
}

async function waitForEnd(server: BuiltServer, job: string): Promise<Record<string, unknown>> {
  const operations = async (): Promise<readonly Record<string, unknown>[]> =>
    (await get(server, '/api/operations')).operations as Record<string, unknown>[]
  await expect
    .poll(async () => (await operations()).filter((one) => one.jobID === job && one.error === undefined))
    .toEqual([])
  const { operations: history } = (await get(server, '/api/operations/history')) as {
    operations: Record<string, unknown>[]
  }
  return [...(await operations()), ...history].find((one) => one.jobID === job) ?? {}
}

/** Layers are fetched as files are: a short run interrupts images in two ways only. */
const WAYS_OF_IMAGES: readonly Interruption[] =
  process.env.SVC_INTERRUPTION_STEPS === undefined ? ['kill', 'cut'] : ['kill', 'stop', 'pause', 'cut']

describe.each([
  ['a model of several files', modelSubject, ['kill', 'stop', 'pause', 'cut'] as const],
  ['an image of several layers', imageSubject, WAYS_OF_IMAGES],
])('the installation of %s', (_what, createSubject, ways) => {
  it.each<Interruption>(ways)(
    `that a ${'%s'} interrupts at every step fetches nothing twice, and what stands is old or new`,
    async (interruption) => {
      await using dir = await tempDir('svc-e2e-')
      await using origin = await startFileOrigin({ files: {} })
      const subject = createSubject(origin)
      const start = (): Promise<BuiltServer> =>
        startBuiltServer({
          folder: dir.path,
          env: subject.env,
          mock: {},
          flags: [...subject.flags, '--autoload-galleries=false', '--autoload-backend-galleries=false'],
        })
      subject.setVersion(1)
      const first = await start()
      expect(await waitForEnd(first, await subject.install(first))).toMatchObject({ outcome: 'completed' })
      await first.stop()
      await first[Symbol.asyncDispose]()
      const old = await subject.fingerprint(dir.path)

      // All but a pause go on by themselves.
      const how = interruption === 'cut' ? 'cut' : 'stall'
      const paths = subject.setVersion(2)
      const total = paths.reduce((sum, path) => sum + (origin.files.get(path)?.content.length ?? 0), 0)
      const sentBefore = origin.sentBytes
      let server = await start()
      let job = ''
      for (let step = 1; step < STEPS; step += 1) {
        const position = Math.floor((total * step) / STEPS)
        if (interruption === 'pause' || step === 1) stopAt(origin, paths, position, how)
        if (job === '' || interruption === 'pause') job = await subject.install(server)
        const current = async (): Promise<number> => {
          const { operations } = (await get(server, '/api/operations')) as {
            operations: { jobID: string; currentBytes?: number }[]
          }
          return operations.find(({ jobID }) => jobID === job)?.currentBytes ?? 0
        }
        await expect.poll(current).toBeGreaterThan(position - MIB / 2)
        // A download that was cut goes on by itself: the next cut is there before anything slow is looked at.
        const isLast = step + 1 === STEPS
        const setNextStop = (): void =>
          stopAt(origin, paths, isLast ? Number.POSITIVE_INFINITY : Math.floor((total * (step + 1)) / STEPS), how)
        if (interruption === 'cut') setNextStop()
        if (interruption !== 'cut' || !isLast) expect(await subject.fingerprint(dir.path)).toBe(old)
        if (interruption === 'pause') {
          expect(await post(server, `/api/operations/${job}/pause`)).toMatchObject({ success: true })
        } else if (interruption !== 'cut') {
          await (interruption === 'kill' ? server.kill() : server.stop())
          await server[Symbol.asyncDispose]()
          expect(await subject.fingerprint(dir.path)).toBe(old)
          setNextStop()
          server = await start()
        }
      }
      if (interruption === 'pause') {
        // An interruption just before the place where the origin was to stop leaves that stop to the last attempt.
        for (const path of paths) Object.assign(origin.files.get(path) ?? {}, { stop: undefined })
        job = await subject.install(server)
      }
      expect(await waitForEnd(server, job)).toMatchObject({ outcome: 'completed' })
      expect(await subject.fingerprint(dir.path)).not.toBe(old)
      const again = origin.sentBytes - sentBefore - total
      if (process.env.SVC_INTERRUPTION_STEPS !== undefined) {
        const each = Math.round(again / (STEPS - 1) / 1024)
        process.stdout.write(
          `${interruption}, ${STEPS - 1} interrupts of ${SIZE / MIB} MiB: ${each} KiB fetched again for each\n`,
        )
      }
      expect(again).toBeLessThanOrEqual((STEPS - 1) * MIB)
      await server.stop()
      await server[Symbol.asyncDispose]()
    },
    // As long as it takes at every hundredth on a slow machine.
    STEPS * 60_000,
  )
})
