import { startPostgres } from '@svc/test-kit'
import { afterAll, describe, expect } from 'vitest'
import { createMembers } from '../support/accounts-world.ts'
import { type PiiWorld, startPiiWorld } from '../support/pii-world.ts'
import { verifies } from './verifies.ts'

const postgres = await startPostgres()
afterAll(() => postgres[Symbol.asyncDispose]())
if (!postgres.available) console.warn(`two servers on one database are not tried: ${postgres.reason}`)

const MAIL = 'jane@lab.example'
const KEPT = { enabled: true, detectors: ['own'], reversible_redactions: true, conversation_tokens: true }

/** The answer of the model. */
const ANSWER = 'It is [REDACTED:EMAIL_001], not [REDACTED:EMAIL_002].'

/** Asks for a response. Gives what the model got as the last message and what the client has. */
async function respond({ server }: PiiWorld, body: object, headers: Record<string, string> = {}) {
  const reply = await server.post('/v1/responses', { model: 'm', ...body }, headers)
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  const { id } = reply.json() as { id: string }
  const asked = server.records('m').filter(({ event, rpc }) => event === 'start' && rpc !== 'LoadModel')
  return { id, reply: /It is [^"]+\./.exec(reply.text)?.[0], sent: JSON.stringify(asked.at(-1)?.request) }
}

async function openWorld(options: Parameters<typeof startPiiWorld>[0] = {}): Promise<PiiWorld> {
  const world = await startPiiWorld(options)
  await world.patterns('own', {}, { builtins: ['email'] })
  await world.server.model('m', { rules: [{ do: { text: ANSWER } }] }, { pii: KEPT })
  return world
}

describe('conversations of filtered responses', () => {
  verifies('pii:conversation-tokens:responses', 'keep their tokens over responses that continue one', async () => {
    await using world = await openWorld()
    const first = await respond(world, { input: `to ${MAIL}` })
    expect(first.sent).toContain('to [REDACTED:EMAIL_001]')
    expect(first.reply).toBe(`It is ${MAIL}, not [REDACTED:EMAIL_002].`)
    const second = await respond(world, { previous_response_id: first.id, input: 'to bo@lab.example' })
    expect(second.sent).toContain('to [REDACTED:EMAIL_002]')
    expect(second.reply).toBe(`It is ${MAIL}, not bo@lab.example.`)
    const third = await respond(world, { previous_response_id: second.id, input: `bo@lab.example or ${MAIL}` })
    expect(third.sent).toContain('[REDACTED:EMAIL_002] or [REDACTED:EMAIL_001]')
    // Another response that continues the first one belongs to the same conversation.
    const branch = await respond(world, { previous_response_id: first.id, input: 'to bo@lab.example' })
    expect(branch.sent).toContain('to [REDACTED:EMAIL_002]')
    const other = await respond(world, { input: 'to eve@lab.example' })
    expect(other.sent).toContain('to [REDACTED:EMAIL_001]')
    expect(other.reply).toBe('It is eve@lab.example, not [REDACTED:EMAIL_002].')
    // An id that the client gives is the conversation.
    const given = await respond(world, { conversation: 'c', previous_response_id: second.id, input: 'eve@lab.example' })
    expect(given.reply).toBe('It is eve@lab.example, not [REDACTED:EMAIL_002].')
    const missing = await world.server.post('/v1/responses', {
      model: 'm',
      previous_response_id: 'resp_x',
      input: MAIL,
    })
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('previous_response_id')])
  })

  verifies('pii:conversation-tokens:apart', 'are those of one user and one key', async () => {
    await using world = await openWorld({
      flags: ['--auth-enabled', '--auth-registration-mode=open', '--auth-rate-limit=0'],
    })
    const members = createMembers(world.server.url)
    const [ada, bo] = [await members.member('ada'), await members.member('bo')]
    const other = await ada.browser.send('POST', '/api/auth/api-keys', { name: 'other' })
    const { key } = other.json() as { key: string }
    const conversation = 'the same'
    await respond(world, { conversation, input: `to ${MAIL}` }, ada.headers)
    const replies: (string | undefined)[] = []
    for (const headers of [ada.headers, bo.headers, { authorization: `Bearer ${key}` }]) {
      replies.push((await respond(world, { conversation, input: 'who?' }, headers)).reply)
    }
    expect(replies).toEqual([`It is ${MAIL}, not [REDACTED:EMAIL_002].`, ANSWER, ANSWER])
  })
})

describe('invented values', () => {
  verifies('detector:operators:fake:shared', 'are the same on every server of a database, and later', async () => {
    const url = postgres.available ? { SVC_AUTH_DATABASE_URL: await postgres.createDatabase() } : {}
    const redact = async ({ server, patterns }: PiiWorld): Promise<unknown> => {
      await patterns('own', {}, { builtins: ['email'], operators: { EMAIL: { fake: 'email' } } })
      const reply = await server.post('/api/pii/redact', { text: `to ${MAIL}`, detectors: ['own'] })
      return (reply.json() as { redacted_text: string }).redacted_text
    }
    const env = { ...url, SVC_AUTH_HMAC_SECRET: 'one secret of both of the servers' }
    await using one = await startPiiWorld({ env })
    const first = await redact(one)
    expect(first).toMatch(/^to \S+@mail\.example$/)
    // The process of the test is the same one: only the secret may decide.
    await using other = await startPiiWorld({ env })
    expect(await redact(other)).toBe(first)
    await using foreign = await startPiiWorld({
      env: { SVC_AUTH_HMAC_SECRET: 'the secret of another database than that' },
    })
    expect(await redact(foreign)).not.toBe(first)
  })
})
