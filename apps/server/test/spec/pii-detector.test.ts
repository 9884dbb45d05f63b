import { middlewareStatus } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { startPiiWorld } from '../support/pii-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

/** The mock finds e-mail addresses with score 0.99 and single towns with score 0.6. */
const PLACE = '[REDACTED:ner:LOCATION]'
const MAIL = '[REDACTED:ner:EMAIL]'

/** A server with one detector of the mock. */
async function withDetector(policy: Record<string, unknown>): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('ner', {}, { known_usecases: ['token_classify'], pii_detection: policy })
  return server
}

async function redact(server: TestServer, text: string): Promise<string | undefined> {
  const reply = await server.post('/api/pii/redact', { text, detectors: ['ner'] })
  return (reply.json() as { redacted_text?: string }).redacted_text
}

/** Gives the redacted texts under one policy. */
async function redactAll(policy: Record<string, unknown>, texts: readonly string[]): Promise<(string | undefined)[]> {
  await using server = await withDetector(policy)
  const redacted: (string | undefined)[] = []
  for (const text of texts) redacted.push(await redact(server, text))
  return redacted
}

describe('a detector', () => {
  verifies('detector:ner:known-by', 'recognises entities where its usecases say so and its weights can', async () => {
    await using world = await startPiiWorld()
    const { server } = world
    const unable = [
      { rpc: 'TokenClassify', do: { failure: { status: 'UNIMPLEMENTED', message: 'no labels' } } },
    ] as const
    await world.ner('declared')
    await world.ner('mixed', { builtins: ['email'] })
    await server.model('undeclared', {}, { known_usecases: ['chat'], pii_detection: { builtins: ['email'] } })
    await server.model('embedder', { rules: unable }, { known_usecases: ['token_classify'], pii_detection: {} })
    const text = 'in Paris'
    const analyze = async (detector: string) => {
      const reply = await server.post('/api/pii/analyze', { text, detectors: [detector] })
      return [reply.status, (reply.json() as { error?: { type: string } }).error?.type]
    }
    expect(await analyze('declared')).toEqual([200, undefined])
    expect(await analyze('mixed')).toEqual([200, undefined])
    expect(await analyze('undeclared')).toEqual([400, 'invalid_request'])
    expect(await analyze('embedder')).toEqual([503, 'pii_ner_unavailable'])

    for (const detector of ['undeclared', 'embedder']) {
      const model = `filtered-by-${detector}`
      await server.model(model, {}, { pii: { enabled: true, detectors: [detector] } })
      expect([detector, (await server.chat(model)).status, world.asked(model)]).toEqual([detector, 503, '[]'])
    }
    expect(server.records('undeclared')).toEqual([])
    const status = middlewareStatus.parse((await server.call('/api/middleware/status')).json())
    const types = status.pii.detector_models.map(({ name, type }) => [name, type])
    expect(Object.fromEntries(types)).toEqual({ declared: 'ner', mixed: 'ner', undeclared: 'unknown', embedder: 'ner' })
  })
})

describe('a long text', () => {
  it('is given to a recogniser in pieces that it reads to their end', async () => {
    await using server = await startTestServer()
    const detector = { known_usecases: ['token_classify'], pii_detection: {} }
    const silent = { without: ['Capabilities'] }
    await server.model('told', {}, { ...detector, context_size: 300 })
    await server.model('written', silent, { ...detector, context_size: 400 })
    await server.model('unknown', silent, detector)
    const words = 'over and over again '.repeat(100)
    const around = (town: string, mail: string): string => `${town} ${words} ${mail} ${words} ${town}`
    for (const [name, size] of [
      ['told', 292],
      ['written', 392],
      ['unknown', 504],
    ] as const) {
      const text = around('Paris', 'ada@host.example')
      const reply = await server.post('/api/pii/redact', { text, detectors: [name] })
      expect(reply.json()).toMatchObject({ redacted_text: around(PLACE, MAIL) })
      const sent = server.records(name).filter(({ rpc, event }) => rpc === 'TokenClassify' && event === 'start')
      const longest = Math.max(...sent.map(({ request }) => (request as { text: string }).text.length))
      expect([name, longest <= size && longest > size / 2]).toEqual([name, true])
    }
  })
})

describe('actions of detections', () => {
  verifies('detector:policy:min-score', 'below the score that is asked for it is dropped', async () => {
    expect(await redactAll({ min_score: 0.7 }, ['ada@host.example in Paris'])).toEqual([`${MAIL} in Paris`])
    expect(await redactAll({ min_score: 0.6 }, ['ada@host.example in Paris'])).toEqual([`${MAIL} in ${PLACE}`])
  })

  verifies(
    ['detector:policy:default-action', 'detector:policy:entity-actions', 'detector:policy:group-names'],
    'its group has an action of its own, or else that of all, under the name the model gives it',
    async () => {
      await using server = await withDetector({ default_action: 'allow', entity_actions: { LOCATION: 'mask' } })
      const reply = await server.post('/api/pii/redact', { text: 'ada@host.example in Paris', detectors: ['ner'] })
      expect(reply.json()).toMatchObject({
        redacted_text: `ada@host.example in ${PLACE}`,
        entities: [
          { entity_type: 'EMAIL', action: 'allow' },
          { entity_type: 'LOCATION', action: 'mask' },
        ],
      })
      expect(await redactAll({}, ['in Paris'])).toEqual([`in ${PLACE}`])
      await server.model(
        'ner',
        {},
        {
          known_usecases: ['token_classify'],
          pii_detection: { default_action: 'block', entity_actions: { EMAIL: 'allow' } },
        },
      )
      const refused = await server.post('/api/pii/redact', { text: 'in Paris', detectors: ['ner'] })
      expect([refused.status, refused.json()]).toMatchObject([400, { error: { type: 'pii_blocked' } }])
      expect(refused.text).not.toContain('redacted_text')
      expect(await redact(server, 'ada@host.example')).toBe('ada@host.example')
    },
  )
})

describe('the words beside a detection', () => {
  verifies(
    [
      'detector:extend:next-word',
      'detector:extend:word',
      'detector:extend:spaces',
      'detector:extend:one-word',
      'detector:extend:none',
    ],
    'of a group that extends to the next word: one word of its line',
    async () => {
      const cases = {
        'Paris nord ouest': `${PLACE} ouest`,
        "Paris d'arc-7.b. x": `${PLACE}. x`,
        'Paris \t e\u0301te\u0301 x': `${PLACE} x`,
        'Paris\nnord': `${PLACE}\nnord`,
        'Paris \r\n nord': `${PLACE} \r\n nord`,
        'Paris, nord': `${PLACE}, nord`,
        'in Paris  ': `in ${PLACE}  `,
        'ada@host.example nord': `${MAIL} nord`,
      }
      const redacted = await redactAll({ extend_to_next_word: ['LOCATION'] }, Object.keys(cases))
      expect(redacted).toEqual(Object.values(cases))
    },
  )

  verifies(
    ['detector:extend:previous-word', 'detector:extend:previous-letters', 'detector:extend:digits'],
    'of a group that extends to the word before: one of letters, dashes and apostrophes',
    async () => {
      const cases = {
        'the old Paris': `the ${PLACE}`,
        "o'ld-x \t Paris": PLACE,
        'st.x Paris': `st.x ${PLACE}`,
        'no 7b Paris': `no 7b ${PLACE}`,
        'old, Paris': `old, ${PLACE}`,
        'old\nParis': `old\n${PLACE}`,
        Paris: PLACE,
      }
      const redacted = await redactAll({ extend_to_previous_word: ['LOCATION'] }, Object.keys(cases))
      expect(redacted).toEqual(Object.values(cases))
    },
  )

  verifies('detector:extend:protected', 'that are protected terms are not covered', async () => {
    const policy = {
      extend_to_next_word: ['LOCATION'],
      extend_to_previous_word: ['LOCATION'],
      protected_terms: ['seerose'],
    }
    const redacted = await redactAll(policy, ['old Paris seerose', 'Seerose Paris nord'])
    expect(redacted).toEqual([`${PLACE} seerose`, `Seerose ${PLACE}`])
  })
})

describe('protected terms', () => {
  verifies(
    ['detector:terms:placeholder', 'detector:terms:min-length'],
    'of three characters or more are hidden from the model and come back as they were',
    async () => {
      await using server = await withDetector({ protected_terms: ['paris', 'Al'] })
      expect(await redact(server, 'Al is in Paris, not in Rome.')).toBe(`Al is in Paris, not in ${PLACE}.`)
      const sent = JSON.stringify(server.records('ner'))
      expect(sent).toContain('Al is in [PROTECTED], not in Rome.')
      expect(sent).not.toContain('Paris')
    },
  )

  verifies(['detector:terms:whole-word', 'detector:terms:part-of-word'], 'are whole words in any case', async () => {
    const cases = {
      'ADA@host.example': 'ADA@host.example',
      'in Paris.': 'in Paris.',
      'in Paris-nord': `in ${PLACE}-nord`,
      "in Paris's": `in ${PLACE}'s`,
      'see Paris.example': `see ${PLACE}.example`,
    }
    const redacted = await redactAll({ protected_terms: ['ada@HOST.example', 'Paris'] }, Object.keys(cases))
    expect(redacted).toEqual(Object.values(cases))
  })

  verifies(
    ['detector:terms:files', 'detector:terms:comments', 'detector:terms:re-read'],
    'also come from files in the models folder; changed files are read again',
    async () => {
      await using server = await withDetector({ protected_terms_files: ['terms.txt'] })
      await server.writeModelFile('terms.txt', '  Paris\n\n# Rome\n')
      expect(await redact(server, 'Paris, Rome')).toBe(`Paris, ${PLACE}`)
      await server.writeModelFile('terms.txt', 'Rome and more\nRome\n')
      expect(await redact(server, 'Paris, Rome')).toBe(`${PLACE}, Rome`)
    },
  )

  verifies('detector:terms:missing-file', 'of a file that is missing are passed over with a warning', async () => {
    await using server = await withDetector({ protected_terms: ['Paris'], protected_terms_files: ['gone.txt'] })
    expect(await redact(server, 'Paris, Rome')).toBe(`Paris, ${PLACE}`)
    const warnings = server.logLines.filter((line) => line.includes('file of protected terms cannot be read, skipped'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('gone.txt')
  })

  verifies('detector:terms:ner-only', 'are hidden from the model alone, and patterns find them', async () => {
    const policy = { protected_terms: ['ada@host.example', 'Paris'], builtins: ['email'] }
    const redacted = await redactAll(policy, ['ada@host.example in Paris'])
    expect(redacted).toEqual(['[REDACTED:pattern:EMAIL] in Paris'])
  })
})
