import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { eventually, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createLocalHub } from '../bus/__fixtures__/local-hub.ts'
import { createBus } from '../bus/create-bus.ts'
import { openWrittenFiles } from '../catalog/written-files.ts'
import { systemClock } from '../clock.ts'
import { useDatabase } from '../cluster/loads/__fixtures__/use-database.ts'
import { loadConfig } from '../config/load.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openSharedFiles } from './open-shared-files.ts'

const places = (await databasePlaces()).slice(-1)

describe.each(places)('shared files of front ends on $name', ({ create }) => {
  const database = useDatabase(create)

  it('are model files with what the API may do with them, shared keys and images', async () => {
    await using dir = await tempDir()
    const hub = createLocalHub()
    async function open(name: string, env: Readonly<Record<string, string>> = {}) {
      const cwd = dir.join(name)
      for (const folder of ['models', 'data', 'configuration']) await mkdir(`${cwd}/${folder}`, { recursive: true })
      const command = loadConfig({
        argv: ['--models-path', `${cwd}/models`, '--data-path', `${cwd}/data`, '--config-dir', `${cwd}/configuration`],
        env,
        cwd,
      })
      if (command.kind !== 'run') throw new Error(JSON.stringify(command))
      const { config } = command
      const bus = createBus({ link: hub.link(), logger: silentLogger })
      const written = await openWrittenFiles({ ...config, logger: silentLogger })
      const shared = await openSharedFiles({
        config,
        database: database(),
        written,
        bus,
        clock: systemClock,
        log: silentLogger,
      })
      let reloads = 0
      const close = shared.follow({
        reload: async () => {
          reloads += 1
        },
        alone: (change) => change(),
      })
      return { cwd, bus, written, close, reloads: () => reloads }
    }
    const [one, two] = [await open('one'), await open('two')]
    const grants = [{ path: '/keys/a', upstream: 'https://a.example' }]
    await one.written.note('m.yaml', 'name: m', grants)
    await writeFile(`${one.cwd}/models/m.yaml`, 'name: m')
    await writeFile(`${one.cwd}/models/own.yaml`, 'name: own')
    await writeFile(`${one.cwd}/models/m.gguf`, 'GGUF')
    await writeFile(`${one.cwd}/configuration/api_keys.json`, '["key"]')
    await writeFile(`${one.cwd}/configuration/external_backends.json`, '{}')
    await writeFile(`${one.cwd}/configuration/branding/logo.png`, Buffer.from([0x89, 0, 1]))
    one.bus.publish('models.changed', { added: ['m'], changed: [], removed: [] })
    one.bus.publish('settings.changed', { keys: ['logo_file'] })
    const read = (file: string) => readFile(`${two.cwd}/${file}`)
    await eventually(async () => {
      expect(await read('configuration/branding/logo.png')).toEqual(Buffer.from([0x89, 0, 1]))
      expect(String(await read('models/m.yaml'))).toBe('name: m')
      expect(String(await read('configuration/api_keys.json'))).toBe('["key"]')
      expect(two.reloads()).toBeGreaterThan(0)
    })
    expect([two.written.find('m.yaml', 'name: m')?.grants, two.written.find('own.yaml', 'name: own')]).toEqual([
      grants,
      undefined,
    ])
    expect((await stat(`${two.cwd}/configuration/api_keys.json`)).mode & 0o777).toBe(0o600)
    await expect(read('models/m.gguf')).rejects.toThrow('ENOENT')
    await expect(read('configuration/external_backends.json')).rejects.toThrow('ENOENT')
    // A folder that all see is left alone.
    const three = await open('three', { SVC_DISTRIBUTED_SHARED_MODELS: 'true' })
    await expect(readFile(`${three.cwd}/models/m.yaml`)).rejects.toThrow('ENOENT')
    expect(String(await readFile(`${three.cwd}/configuration/api_keys.json`))).toBe('["key"]')
    for (const { close } of [one, two, three]) await close()
  })
})
