import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config/load.ts'
import { openOutbound } from './open-backends.ts'
import { runPrefetch } from './open-prefetch.ts'

const { signal } = new AbortController()
const WEIGHTS = 'weights of a model'
const sha256 = createHash('sha256').update(WEIGHTS).digest('hex')

/** A gallery with a model whose hash is right, and one whose hash is wrong. */
async function serve() {
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, outgoing) => {
    asked.push(url)
    const base = `http://${headers.host}`
    const entry = (name: string, hash: string) =>
      `- {name: ${name}, overrides: {parameters: {model: w/x.bin}}, files: [{filename: w/x.bin, uri: "${base}/x.bin", sha256: ${hash}}]}\n`
    outgoing.end(url === '/x.bin' ? WEIGHTS : entry('good', sha256) + entry('bad', 'a'.repeat(64)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { asked, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

it('puts the files of models where front ends would send them, with their hashes', async () => {
  await using dir = await tempDir()
  const gallery = await serve()
  const warnings: string[] = []
  const run = async (argv: readonly string[]) => {
    const command = loadConfig({
      argv: ['worker', '--prefetch-models=none, bad, own@good', '--content-url-allow=127.0.0.1', ...argv],
      env: {},
      cwd: dir.path,
    })
    if (command.kind !== 'worker') throw new Error(JSON.stringify(command))
    const logger = {
      debug() {},
      info() {},
      error() {},
      warn: (fields: object) => void warnings.push(JSON.stringify(fields)),
    }
    const { config } = command
    await mkdir(config.dataPath, { recursive: true })
    const parts = { config, clock: systemClock, logger }
    const client = await openOutbound({ ...parts, environment: {}, version: '0' })
    await runPrefetch({ ...parts, client }, signal)
  }
  try {
    const galleries = `--galleries=${JSON.stringify([{ name: 'own', url: `${gallery.url}/index.yaml` }])}`
    await run([galleries, '--max-replicas-per-model=2'])
    for (const replica of ['good#0', 'good#1']) {
      expect(await readFile(dir.join('models', replica, 'w/x.bin'), 'utf8')).toBe(WEIGHTS)
      expect(await readFile(dir.join('models', replica, 'w/x.bin.sha256'), 'utf8')).toBe(sha256)
    }
    expect((await stat(dir.join('models/good#1/w/x.bin'))).nlink).toBe(2)
    await expect(stat(dir.join('models/bad#0/w/x.bin'))).rejects.toThrow('ENOENT')
    expect(warnings.join()).toContain('"model":"none"')
    expect(warnings.join()).toContain('"model":"bad"')
    // What is here is not fetched again.
    gallery.asked.length = 0
    await run([galleries, '--max-replicas-per-model=2'])
    expect(gallery.asked.filter((path) => path === '/x.bin')).toHaveLength(1)
    warnings.length = 0
    await run([])
    expect(warnings.join()).toContain('there is no gallery')
  } finally {
    gallery.server.close()
  }
})
