import { symlinkSync } from 'node:fs'
import { basename, delimiter, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'
import { findPython, titled } from './python.ts'
import { startPythonHost } from './python-client.ts'
import { isRunning } from './world.ts'

const folders = (process.env.INTEROP_BACKENDS ?? '').split(delimiter).filter((folder) => folder !== '')
const nothing = folders.length === 0 ? 'INTEROP_BACKENDS names no folder' : undefined
/** A skipped test needs a name too. */
const named = nothing === undefined ? folders : ['a backend']
const python = findPython()
const path = python.missing === undefined ? python.path : ''

/** Statuses that a backend may give for a load of missing weights, or for a call without a model. */
const ANSWERS = [200, 400, 413, 500, 501]

describe.skipIf(nothing)(titled('backends of others under our server', { missing: nothing }), () => {
  it.for(named)('%s starts, accepts or refuses a missing model, and harms nothing', async (folder, { annotate }) => {
    await using server = await startTestServer()
    symlinkSync(resolve(folder), join(server.folder, 'backends', basename(folder)))
    await server.writeModelFile(
      'theirs.yaml',
      JSON.stringify({
        name: 'theirs',
        backend: basename(folder),
        known_usecases: ['chat'],
        parameters: { model: 'x.bin' },
      }),
    )
    await server.model('ours')
    const reply = await server.chat('theirs', { max_tokens: 4 })
    await annotate(`${reply.status} ${reply.text.slice(0, 500)}`)
    expect(ANSWERS, reply.text).toContain(reply.status)
    if (reply.status !== 200) expect(reply.json()).toMatchObject({ error: { message: expect.stringMatching(/./) } })
    expect(reply.text).not.toContain('grpc service not ready')
    expect((await server.chat('ours')).status).toBe(200)
    const system = (await server.call('/system')).json() as {
      loaded_models: { id: string; process?: { pid: number } }[]
    }
    const pid = system.loaded_models.find(({ id }) => id === 'theirs')?.process?.pid
    await server.server.close()
    if (pid !== undefined) expect(await isRunning(pid)).toBe(false)
  })
})

const missing = nothing ?? python.missing
describe.skipIf(missing)(titled('backends of others, call by call', { missing }), () => {
  it.for(named)('%s is healthy and fails as the contract says', async (folder, { annotate }) => {
    await using host = await startPythonHost(path, [join(resolve(folder), 'run.sh')])
    expect(await host.call({ rpc: 'Health' })).toEqual({ replies: [{ message: 'T0s=' }] })
    for (const rpc of ['Status', 'Predict', 'LoadModel', 'Predict', 'PredictStream', 'Embedding', 'Free']) {
      const request = rpc === 'LoadModel' ? { Model: 'x.bin', ModelFile: '/nonexistent/x.bin' } : {}
      const { replies, code, details } = await host.call({ rpc, request })
      await annotate(`${rpc}: ${code ?? JSON.stringify(replies).slice(0, 200)} ${details ?? ''}`)
      expect(code).not.toBe('UNAVAILABLE')
    }
    expect(await isRunning(host.backendPid)).toBe(true)
  })
})
