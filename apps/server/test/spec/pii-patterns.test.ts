import { describe, expect } from 'vitest'
import { stringify } from 'yaml'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

/** One pattern of a detector. */
interface Pattern {
  readonly name?: string
  readonly match?: string
  readonly action?: string
  readonly min_len?: number
}

async function writeDetector(server: TestServer, name: string, detection: Record<string, unknown>): Promise<void> {
  await server.writeModelFile(`${name}.yaml`, stringify({ name, backend: 'pattern', pii_detection: detection }))
}

async function redact(server: TestServer, text: string, detectors = ['p']): Promise<string | undefined> {
  const reply = await server.post('/api/pii/redact', { text, detectors })
  return (reply.json() as { redacted_text?: string }).redacted_text
}

/** Gives the text after redaction with one pattern. */
async function redactWith(match: string, text: string): Promise<string | undefined> {
  await using server = await startTestServer()
  await writeDetector(server, 'p', { patterns: [{ name: 'X', match }] })
  return (await redact(server, text))?.replaceAll('[REDACTED:pattern:X]', '<X>')
}

/** Gives the reason why a file with these patterns is refused. */
async function findRefusal(...patterns: readonly Pattern[]): Promise<string> {
  await using server = await startTestServer()
  await writeDetector(server, 'p', { patterns })
  const reload = await server.post('/models/reload', {})
  const unusable = await server.post('/api/pii/analyze', { text: 'x', detectors: ['p'] })
  expect(unusable.status).toBe(400)
  return reload.text + server.logLines.join('\n')
}

const KEYS = {
  provider_a_api_key: ['openai_api_key', 'PROVIDER_A_KEY', 'sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2'],
  provider_b_api_key: ['anthropic_api_key', 'PROVIDER_B_KEY', 'sk-ant-a1B2c3D4e5F6g7H8i9J0k1L2'],
  codehost_token: ['github_token', 'CODEHOST_TOKEN', `ghp_${'a1B2'.repeat(9)}`],
  cloud_access_key: ['aws_access_key', 'CLOUD_ACCESS_KEY', 'AKIA0123456789ABCDEF'],
  private_key_block: [
    'private_key_block',
    'PRIVATE_KEY',
    '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA==\n-----END EC PRIVATE KEY-----',
  ],
} as const

describe('built-in patterns', () => {
  verifies(
    [
      'pattern:detector:in-process',
      'pattern:builtins:catalogue',
      'pattern:builtins:other-names',
      'pattern:match:group',
    ],
    'find whole secrets inside the server, under the neutral group for any given name',
    async () => {
      await using server = await startTestServer()
      for (const [name, [other, group, secret]] of Object.entries(KEYS)) {
        for (const builtin of [name, other]) {
          await writeDetector(server, 'p', { builtins: [builtin] })
          expect(await redact(server, `key: ${secret} end`)).toBe(`key: [REDACTED:pattern:${group}] end`)
        }
        await writeDetector(server, 'p', {
          builtins: [name],
          default_action: 'allow',
          entity_actions: { [group]: 'block' },
        })
        const refused = await server.post('/api/pii/redact', { text: secret, detectors: ['p'] })
        expect([refused.status, refused.text.includes(secret)]).toEqual([400, false])
      }
      expect((await server.call('/system')).text).not.toContain('"p"')
    },
  )

  verifies('pattern:builtins:sets', 'are named together', async () => {
    await using server = await startTestServer()
    const text = `jane@lab.example has ${KEYS.codehost_token[2]}`
    for (const [set, redacted] of [
      ['secrets', 'jane@lab.example has [REDACTED:pattern:CODEHOST_TOKEN]'],
      ['structured', `[REDACTED:pattern:EMAIL] has ${KEYS.codehost_token[2]}`],
      ['all', '[REDACTED:pattern:EMAIL] has [REDACTED:pattern:CODEHOST_TOKEN]'],
    ] as const) {
      await writeDetector(server, 'p', { builtins: [set] })
      expect(await redact(server, text)).toBe(redacted)
    }
  })

  verifies('pattern:builtins:structured', 'for addresses and numbers work only where they are named', async () => {
    await using server = await startTestServer()
    await writeDetector(server, 'p', { builtins: Object.keys(KEYS) })
    await writeDetector(server, 'named', { builtins: ['email', 'iban', 'ip_address'] })
    const text = 'ada@host.example paid from DE89 3704 0044 0532 0130 00 at 192.168.7.9'
    expect(await redact(server, text)).toBe(text)
    const redacted = await redact(server, text, ['named'])
    for (const value of ['ada@host.example', '0532 0130', '192.168.7.9']) expect(redacted).not.toContain(value)
  })
})

describe('patterns of an operator', () => {
  verifies(
    ['pattern:patterns:fields', 'pattern:patterns:min-len', 'pattern:policy:default-action'],
    'have a name, and may have an action and a least length of their own',
    async () => {
      await using server = await startTestServer()
      const patterns = [
        { name: 'TICKET', match: 'tick-[0-9]+', min_len: 9 },
        { name: 'NOTE', match: 'note-[0-9]+', action: 'mask' },
        { name: 'STOP', match: 'stop-[0-9]+', action: 'block' },
      ]
      await writeDetector(server, 'p', { default_action: 'allow', patterns })
      const reply = await server.post('/api/pii/analyze', {
        text: 'tick-123 tick-1234 note-1 stop-1',
        detectors: ['p'],
      })
      expect(reply.json()).toMatchObject({
        blocked: true,
        entities: [
          { entity_type: 'TICKET', source: 'pattern', start: 9, end: 18, score: 1, action: 'allow' },
          { entity_type: 'NOTE', action: 'mask' },
          { entity_type: 'STOP', action: 'block' },
        ],
      })
    },
  )

  verifies(
    [
      'pattern:grammar:literals',
      'pattern:grammar:classes',
      'pattern:grammar:escapes',
      'pattern:grammar:alternation',
      'pattern:grammar:anchors',
      'pattern:grammar:quantifiers',
    ],
    'are written in the grammar of patterns',
    async () => {
      expect(await redactWith('abc', 'xabcx')).toBe('x<X>x')
      expect(await redactWith('id-[a-f0-9]{3}[^x]', 'id-0af! id-0afx')).toBe('<X> id-0afx')
      expect(await redactWith('key\\s\\d\\w', 'key 1a key 1é')).toBe('<X> key 1é')
      expect(await redactWith('one-(?:cat|doge)|two', 'one-doge two one-dog')).toBe('<X> <X> one-dog')
      expect(await redactWith('^abc', 'abc abc')).toBe('<X> abc')
      expect(await redactWith('abc$', 'abc abc')).toBe('abc <X>')
      expect(await redactWith('\\babc\\b', 'abc xabc')).toBe('<X> xabc')
      expect(await redactWith('abcd?e*f+g{2,3}', 'abcfgg abcdeefffggg abcg')).toBe('<X> <X> abcg')
    },
  )

  verifies(
    [
      'pattern:grammar:checked-at-load',
      'pattern:grammar:dot',
      'pattern:grammar:capturing-group',
      'pattern:grammar:large-bound',
      'pattern:grammar:literal-run',
    ],
    'are refused with their file, naming the fault',
    async () => {
      expect(await findRefusal({ name: 'X', match: 'abc.' })).toMatch(/patterns\[0\] .*position 3/)
      expect(await findRefusal({ name: 'X', match: '(abc)' })).toMatch(/captur/)
      expect(await findRefusal({ name: 'X', match: 'abc[0-9]{4097}' })).toMatch(/4096/)
      expect(await findRefusal({ name: 'X', match: 'ab[0-9]+' })).toMatch(/3/)
      expect(await findRefusal({ match: 'abc' })).toMatch(/no name/)
    },
  )

  verifies('pattern:engine:linear', 'match in linear time, for any size', async () => {
    await using server = await startTestServer()
    const patterns = [
      { name: 'NEST', match: 'aaa(?:a+)+b' },
      { name: 'WIDE', match: 'abc(?:[a-z][0-9]?){0,4096}!' },
    ]
    await writeDetector(server, 'p', { patterns })
    // a backtracking engine would not finish with thirty of them
    const text = `${'a'.repeat(100_000)} ${'abc1'.repeat(25_000)}`
    expect(await redact(server, text)).toBe(text)
    expect(await redact(server, `${'a'.repeat(1000)}b abc${'z9'.repeat(1000)}!`)).toBe(
      '[REDACTED:pattern:NEST] [REDACTED:pattern:WIDE]',
    )
  })
})
