import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type TempDir, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { systemClock } from '../clock.ts'
import { installRequest } from '../cluster/contract/node-requests.ts'
import { loadConfig } from '../config/load.ts'
import { openOutbound, openWorkerBackends } from './open-backends.ts'

const options = { signal: new AbortController().signal, onProgress: () => undefined }

/** The backends of a worker with one shipped backend, in a folder of its own. */
async function open(dir: TempDir) {
  const command = loadConfig({
    argv: ['worker', `--backends-system-path=${dir.join('system')}`],
    env: {},
    cwd: dir.path,
  })
  if (command.kind !== 'worker') throw new Error(command.kind)
  const { config } = command
  await mkdir(config.backendsPath, { recursive: true })
  const own = { config, clock: systemClock, logger: silentLogger }
  const client = await openOutbound({ ...own, environment: {}, version: '0' })
  const builtIn = { 'llama-cpp': { entry: '/opt/llama/main.js', execArgv: [] } }
  return openWorkerBackends({ ...own, builtIn, client })
}

async function writeBackend(folder: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}/run.sh`, `#!/bin/sh\n# ${text}\n`, { mode: 0o755 })
  return folder
}

it('uses what the server ships without a download', async () => {
  await using dir = await tempDir()
  const opened = await open(dir)
  const request = installRequest.parse({ backend: 'llama-cpp', model_id: 'm' })
  expect(await opened.backends.ensure(request, options)).toMatchObject({ kind: 'spawn', name: 'llama-cpp' })
  expect(await opened.backends.list()).toEqual([{ name: 'llama-cpp', is_system: true, is_meta: false }])
  await expect(opened.backends.remove('llama-cpp', options)).rejects.toMatchObject({ code: 'system_backend' })
  await opened.close()
})

it('installs, replaces and deletes a backend', async () => {
  await using dir = await tempDir()
  const { backends, close } = await open(dir)
  const uri = await writeBackend(dir.join('source'), 'one')
  const request = installRequest.parse({ backend: 'mine', uri })
  const program = await backends.ensure(request, options)
  expect(program).toMatchObject({ kind: 'spawn', name: 'mine', cwd: dir.join('backends/mine') })
  expect(await backends.list()).toMatchObject([
    { name: 'mine', is_system: false, is_meta: false, uri, installed_at: expect.any(String) },
    { name: 'llama-cpp' },
  ])
  await writeBackend(dir.join('source'), 'two')
  await backends.ensure(request, options)
  expect(await readFile(dir.join('backends/mine/run.sh'), 'utf8')).toContain('one')
  expect(await backends.upgrade(request, options)).toEqual(['mine'])
  expect(await readFile(dir.join('backends/mine/run.sh'), 'utf8')).toContain('two')
  const missing = installRequest.parse({ backend: 'mine', uri: dir.join('missing') })
  await expect(backends.upgrade(missing, options)).rejects.toMatchObject({ code: 'invalid_uri' })
  expect(await readFile(dir.join('backends/mine/run.sh'), 'utf8')).toContain('two')
  expect(await backends.remove('mine', options)).toContain('mine')
  await expect(backends.remove('mine', options)).rejects.toMatchObject({ code: 'backend_not_found' })
  await close()
})

it('looks into the galleries of a front end', async () => {
  await using dir = await tempDir()
  const { backends, close } = await open(dir)
  const ask = (galleries: string) =>
    backends.ensure(installRequest.parse({ backend: 'other', backend_galleries: galleries }), options)
  await expect(ask('')).rejects.toMatchObject({ code: 'backend_not_found' })
  await expect(ask('[]')).rejects.toMatchObject({ code: 'backend_not_found' })
  await expect(ask('null')).rejects.toMatchObject({ code: 'backend_not_found' })
  await expect(ask('{')).rejects.toMatchObject({ code: 'bad_galleries' })
  await close()
})
