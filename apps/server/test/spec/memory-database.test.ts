import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findCanariesInFiles, makeCanary } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startAccountsWorld } from '../support/accounts-world.ts'
import { startPiiWorld } from '../support/pii-world.ts'
import { verifies } from './verifies.ts'

const MEMORY = '--auth-database-url=:memory:'
const MAIL = 'ada@host.example'

/** Files below a folder. */
const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map(({ name }) => name)

describe('a server with --auth-database-url :memory:', () => {
  verifies('events:pii:in-memory', 'keeps the events of private text until it ends, and nothing on disk', async () => {
    const first = await startPiiWorld({ flags: [MEMORY] })
    const { folder, logLines } = first.server
    await first.ner('ner')
    await first.server.model('m', {}, { pii: { enabled: true, detectors: ['ner'] } })
    await first.server.chat('m', { messages: [{ role: 'user', content: `I am ${MAIL}` }] })
    const events = await first.events()
    expect(events).toMatchObject([{ origin: 'middleware', pattern_id: 'ner:EMAIL', action: 'mask' }])
    expect(await first.events(`?correlation_id=${events[0]?.correlation_id}`)).toEqual(events)
    expect((await listFiles(join(folder, 'data'))).filter((name) => /\.db|sqlite/.test(name))).toEqual([])
    expect(await listFiles(folder)).not.toContain(':memory:')
    expect(logLines.join('')).toContain('they are lost when the server ends')
    await first.server.server.close()
    await using second = await startPiiWorld({ flags: [MEMORY], folder })
    expect(await second.events()).toEqual([])
    await first[Symbol.asyncDispose]()
  })

  it('has accounts, keys and usage, with no trace of them on disk', async () => {
    await using world = await startAccountsWorld({ flags: [MEMORY] })
    const name = makeCanary('name', { plain: true })
    const member = await world.member(name.value.toLowerCase())
    await world.model('m')
    const chats = await Promise.all(
      Array.from({ length: 20 }, () => world.chat('m', {}, { authorization: `Bearer ${member.key}` })),
    )
    expect(chats.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    const usage = await world.admin.browser.send('GET', '/api/usage/all')
    expect(usage.status, usage.text).toBe(200)
    expect(usage.text).toContain(member.id)
    const found = await findCanariesInFiles(
      [join(world.folder, 'data'), world.configDir],
      [{ ...name, value: name.value.toLowerCase() }],
    )
    expect(found).toEqual([])
  })
})
