import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAccountCommand } from '../../src/cli/account-commands.ts'
import { systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config/load.ts'
import { silentLogger } from '../../src/db/__fixtures__/places.ts'
import { openDatabase } from '../../src/db/open-database.ts'
import { type AccountsWorld, startAccountsWorld } from '../support/accounts-world.ts'
import { verifies } from './verifies.ts'

const MAIL = 'jane@lab.example'
const TOKEN = '[REDACTED:EMAIL_001]'

let world: AccountsWorld

beforeAll(async () => {
  world = await startAccountsWorld()
  await world.writeModelFile('own.yaml', 'name: own\nbackend: pattern\npii_detection:\n  builtins: [email]\n')
  const pii = { enabled: true, detectors: ['own'], reversible_redactions: true, conversation_tokens: true }
  await world.model('m', { rules: [{ do: { text: `It was ${TOKEN}.` } }] }, { pii })
})
afterAll(() => world.close())

async function ask(content: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const body = { messages: [{ role: 'user', content }] }
  const reply = await world.chat('m', body, { 'x-conversation-id': 'c1', ...headers })
  const { choices } = reply.json() as { choices: { message: { content: string } }[] }
  return choices[0]?.message.content ?? ''
}

async function countKept(): Promise<number> {
  const dataPath = join(world.folder, 'data')
  await using database = await openDatabase({
    dataPath,
    appVersion: '0.0.0',
    logger: silentLogger,
    clock: systemClock,
    joinsServer: true,
  })
  return (await database.queries.rows((db, { piiConversations }) => db.select().from(piiConversations))).length
}

async function deleteByCommand(email: string): Promise<void> {
  const dataPath = join(world.folder, 'data')
  const command = loadConfig({ argv: ['users', 'delete', email, `--data-path=${dataPath}`], env: {}, cwd: '/' })
  if (command.kind !== 'accounts') throw new Error(JSON.stringify(command))
  await runAccountCommand({ ...command, version: '0.0.0 (0000000)', input: Readable.from(['']) })
}

describe('the kept tokens of a conversation', () => {
  verifies('pii:conversation-tokens', 'are restored for their key alone', async () => {
    const [ada, bob] = [await world.member('ada'), await world.member('bob')]
    expect(await ask(`to ${MAIL}`, ada.headers)).toBe(`It was ${MAIL}.`)
    const { key } = await world.keyOf(ada)
    const second = { authorization: `Bearer ${key}` }
    for (const other of [second, bob.headers, world.admin.headers])
      expect(await ask('who?', other)).toBe(`It was ${TOKEN}.`)
    expect(await ask('to bo@lab.example', bob.headers)).toBe('It was bo@lab.example.')
    expect(await ask('who?', ada.headers)).toBe(`It was ${MAIL}.`)
  })

  it('go with the account of their caller', async () => {
    const [cy, dan] = [await world.member('cy'), await world.member('dan')]
    const before = await countKept()
    for (const { headers } of [cy, dan]) await ask(`to ${MAIL}`, headers)
    expect(await countKept()).toBe(before + 2)
    const path = `/api/auth/admin/users/${cy.id}`
    expect((await world.call(path, { method: 'DELETE', headers: { ...world.admin.headers } })).status).toBe(200)
    expect(await countKept()).toBe(before + 1)
    await deleteByCommand(dan.email)
    expect(await countKept()).toBe(before)
  })
})
