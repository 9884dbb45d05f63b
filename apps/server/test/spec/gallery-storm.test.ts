import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFileOrigin } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { finishJob, hubPath, mockEntry, sha256, startGalleryWorld } from '../support/gallery-world.ts'
import { makeImage, mockBackendFiles, startFakeRegistry } from '../support/registry.ts'

const NAMES = ['one', 'two', 'three']
const STEPS = Number(process.env.SVC_STORM_STEPS ?? 60)

/** Numbers from 0 to 1 that depend only on the seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Seeds of random work; `SVC_LONG=1` takes more of them. */
const SEEDS = process.env.SVC_LONG === '1' ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 2]

it.each(SEEDS)(
  'installations, deletions, cancels and requests in any order leave whole models, seed %i',
  async (seed) => {
    const random = createRandom(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const contents = new Map(NAMES.map((name, index) => [name, Buffer.alloc(600_000 + index, index + 1)]))
    const shared = Buffer.alloc(300_000, 9)
    // Announces more than any disk has.
    await using vast = await startFileOrigin({
      files: {},
      handle(_request, response) {
        response.writeHead(200, { 'content-length': 1e15 }).end('x')
        return true
      },
    })
    await using registry = await startFakeRegistry()
    await registry.push(makeImage([await mockBackendFiles('I am an engine')]), 'o/engine:1')
    await using world = await startGalleryWorld({
      flags: ['--content-url-allow=127.0.0.1'],
      files: {
        ...Object.fromEntries([...contents].map(([name, content]) => [hubPath(`${name}.bin`), content])),
        [hubPath('shared.bin')]: shared,
      },
    })
    const { server, origin } = world
    world.setIndex([
      ...NAMES.map((name) => {
        const entry = mockEntry(name, `${name}.bin`, contents.get(name))
        return { ...entry, files: [entry.files, mockEntry('x', 'shared.bin', shared).files].flat() }
      }),
      { ...mockEntry('vast'), files: [{ filename: 'vast.bin', uri: `${vast.origin}/vast.bin` }] },
    ])
    const installEngine = async (): Promise<string> => {
      const uri = `oci://${registry.host}/o/engine:1`
      const reply = await server.post('/api/backends/install-external', { uri, name: 'engine' })
      return (reply.json() as { jobID: string }).jobID
    }
    const finish = (job: string) => finishJob(server, `/backends/jobs/${job}`)
    expect(await finish(await installEngine())).toMatchObject({ message: 'completed' })
    await server.model('engined', {}, { backend: 'engine' })
    // The index is read before anything fails.
    expect((await server.call('/api/models')).status).toBe(200)
    const engineJobs: string[] = []
    const jobs: string[] = []
    const chats: Promise<number>[] = []
    const acts: Readonly<Record<string, () => Promise<unknown>>> = {
      async install() {
        const reply = await server.post('/models/apply', { id: pick(NAMES) })
        jobs.push((reply.json() as { uuid: string }).uuid)
      },
      async remove() {
        const reply = await server.post(`/models/delete/${pick(NAMES)}`, {})
        jobs.push((reply.json() as { uuid: string }).uuid)
      },
      async stop() {
        if (jobs.length === 0) return
        const reply = await server.post(`/api/operations/${pick(jobs)}/${pick(['cancel', 'pause', 'dismiss'])}`, {})
        expect([200, 400]).toContain(reply.status)
      },
      async chat() {
        chats.push(server.chat(pick(NAMES)).then(({ status }) => status))
      },
      async fill() {
        const reply = await server.post('/models/apply', { id: 'vast' })
        jobs.push((reply.json() as { uuid: string }).uuid)
      },
      async engine() {
        engineJobs.push(await installEngine())
        chats.push(server.chat('engined').then(({ status }) => status))
      },
      async fail() {
        origin.faults.push(pick([{ cutAfter: 1000 }, { page: true }, { status: 500 }, {}]))
      },
      async list() {
        for (const path of ['/api/models', '/api/operations', '/v1/models', '/models/jobs']) {
          expect((await server.call(path)).status).toBe(200)
        }
      },
    }
    for (let step = 0; step < STEPS; step += 1) {
      const kind = pick([
        'install',
        'install',
        'install',
        'remove',
        'remove',
        'stop',
        'chat',
        'chat',
        'fail',
        'list',
        'fill',
        'engine',
      ])
      await acts[kind]?.()
    }
    origin.faults.length = 0
    for (const job of jobs) expect(await world.finished(job)).toMatchObject({ processed: true })
    for (const job of engineJobs) expect(await finish(job)).toMatchObject({ message: 'completed' })
    // A model that is going is not found, or stopped under the request; nothing else goes wrong.
    for (const status of await Promise.all(chats)) expect([200, 404, 503]).toContain(status)

    // Every file that is there is whole.
    const isOfModels = (name: string): boolean => name !== '.staging' && name !== 'engined.yaml'
    const files = (await readdir(server.modelsPath)).filter(isOfModels).sort()
    const models = files.filter((name) => /^[a-z]+\.yaml$/.test(name)).map((name) => name.slice(0, -'.yaml'.length))
    const expected = models.flatMap((name) => [`._gallery_${name}.yaml`, `${name}.bin`, `${name}.yaml`])
    expect(files).toEqual([...expected, ...(models.length === 0 ? [] : ['shared.bin'])].sort())
    for (const name of models) {
      expect(sha256(await readFile(join(server.modelsPath, `${name}.bin`)))).toBe(sha256(contents.get(name) ?? shared))
      expect((await server.chat(name)).status).toBe(200)
    }
    // And the server goes on: everything can be installed and deleted.
    for (const name of NAMES) expect(await world.apply({ id: name })).toMatchObject({ message: 'completed' })
    for (const name of NAMES) {
      expect((await server.chat(name)).text).toContain(`I am ${name}`)
      const { uuid } = (await server.post(`/models/delete/${name}`, {})).json() as { uuid: string }
      expect(await world.finished(uuid)).toMatchObject({ message: 'completed' })
    }
    expect((await readdir(server.modelsPath)).filter(isOfModels)).toEqual([])
    expect((await server.chat('engined')).text).toContain('I am an engine')
  },
  120_000,
)
