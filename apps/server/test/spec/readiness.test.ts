import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const EVENTS = '/api/pii/events'

describe('/readyz', () => {
  it.each([
    ['deleted', (data: string) => rm(data, { recursive: true })],
    ['moved away', (data: string) => rename(data, `${data}-moved`)],
    [
      'replaced by an empty one',
      async (data: string) => {
        await rename(data, `${data}-moved`)
        await mkdir(data)
      },
    ],
    [
      'replaced by that of another server',
      async (data: string) => {
        await rename(data, `${data}-moved`)
        await mkdir(data)
        const holder = { pid: 1, start: 'x', host: 'other', token: 'other' }
        for (const name of ['svc.lock', 'database.db.lock']) await writeFile(join(data, name), JSON.stringify(holder))
      },
    ],
  ])('is 503 once the data folder is %s; what needs it fails, and nothing is written there', async (_, takeAway) => {
    await using server = await startTestServer()
    await server.model('m')
    const data = join(server.folder, 'data')
    expect((await server.call('/readyz')).status).toBe(200)
    await takeAway(data)
    const before = await readdir(data).catch(() => undefined)
    await eventually(async () => {
      const reply = await server.call('/readyz')
      expect([reply.status, reply.json()]).toEqual([
        503,
        { status: 'degraded', reason: expect.stringContaining('data folder') },
      ])
      expect(reply.text).not.toContain(server.folder)
    })
    await eventually(async () => expect((await server.call(EVENTS)).status).toBe(503))
    const stored = await server.post('/v1/responses', { model: 'm', input: 'hi', store: true })
    expect(stored.status).toBeGreaterThanOrEqual(500)
    expect((await server.call('/healthz')).status).toBe(200)
    expect((await server.chat('m')).status).toBe(200)
    expect(await readdir(data).catch(() => undefined)).toEqual(before)
    await server.server.close()
    expect(await readdir(data).catch(() => undefined)).toEqual(before)
  })
})
