import { rm, stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createDeferred, createFakeClock, startFileOrigin, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { systemClock } from '../clock.ts'
import { readCredentials } from '../downloads/credentials.ts'
import type { UriServices } from '../downloads/resolve-uri.ts'
import { openClient } from '../outbound/__fixtures__/test-client.ts'
import type { Clock } from '../ports.ts'
import { createGalleryIndexes, describeUnread } from './gallery-indexes.ts'

const TEXT = '- name: engine\n'
const { signal } = new AbortController()

const services: UriServices = {
  hubUrl: 'https://hub.example',
  hubToken: undefined,
  hubTrust: 'public',
  codeHostUrl: 'https://code.example',
  codeHostTrust: 'public',
  credentials: await readCredentials(undefined),
  modelsPath: '/nowhere',
}

/** A gallery of one entry, whose requests the test answers. */
async function openWorld(clock: Clock = systemClock) {
  const asked = createDeferred<ServerResponse>()
  let [requests, answers] = [0, false]
  const origin = await startFileOrigin({
    files: {},
    handle(_, response) {
      requests += 1
      if (answers) response.end(TEXT)
      asked.resolve(response)
      return true
    },
  })
  const dir = await tempDir()
  const indexes = createGalleryIndexes({
    galleries: () => [{ name: 'test', url: `${origin.origin}/index.yaml` }],
    toEntry: () => ({ name: 'engine' }),
    folder: dir.join('galleries'),
    client: openClient({ allow: { cidrs: ['127.0.0.1'], hosts: [] } }).client,
    services: () => services,
    places: { holdsFile: async () => false },
    clock,
    logger: silentLogger,
  })
  return {
    indexes,
    dir,
    origin,
    asked: asked.promise,
    requests: () => requests,
    /** Answers further requests with the index. */
    answer: () => {
      answers = true
    },
    async [Symbol.asyncDispose]() {
      await origin.close()
      await dir.close()
    },
  }
}

it.each<[string, (response: ServerResponse) => void]>([
  ['is awaited', () => undefined],
  ['has begun', (response) => response.writeHead(200).flushHeaders()],
  ['comes in part', (response) => void response.writeHead(200).write(TEXT)],
  ['is whole', (response) => void response.end(TEXT)],
  ['leads to another document', (response) => void response.writeHead(302, { location: '/other.yaml' }).end()],
  ['is a failure', (response) => void response.writeHead(500).end()],
])('writes nothing once they are closed, while an index %s', async (_, answer) => {
  await using world = await openWorld()
  const listed = world.indexes.list({ signal }).then(
    (entries) => entries.map(({ id }) => id),
    (error: Error) => error.message,
  )
  answer(await world.asked)
  await world.indexes.close()
  await rm(world.dir.join('galleries'), { recursive: true, force: true })
  expect([['test@engine'], [], 'the server is stopping']).toContainEqual(await listed)
  await world.origin.close()
  await expect(world.indexes.list({ signal })).rejects.toThrow('the server is stopping')
  await expect(stat(world.dir.join('galleries'))).rejects.toThrow('ENOENT')
})

it('keeps a copy of an index that was read before they were closed', async () => {
  await using world = await openWorld()
  const listed = world.indexes.list({ signal })
  const response = await world.asked
  response.end(TEXT)
  expect(await listed).toMatchObject([{ id: 'test@engine' }])
  await world.indexes.close()
  await expect(stat(world.dir.join('galleries'))).resolves.toBeDefined()
})

it('asks a gallery again for one entry soon after it failed, and says meanwhile why nothing is found', async () => {
  const clock = createFakeClock()
  await using world = await openWorld(clock)
  const { indexes } = world
  const found = indexes.find('engine', { signal })
  ;(await world.asked).writeHead(500).end()
  expect(await found).toBeUndefined()
  expect(describeUnread(indexes.states())).toMatch(/^; these galleries cannot be read: "test" \(.*500.*\)$/)

  world.answer()
  expect(await indexes.find('engine', { signal })).toBeUndefined()
  await clock.advance(10_000)
  expect(await indexes.list({ signal })).toEqual([])
  expect(world.requests()).toBe(1)
  expect(await indexes.find('engine', { signal })).toMatchObject({ id: 'test@engine' })
  expect(describeUnread(indexes.states())).toBe('')
  await indexes.close()
})
