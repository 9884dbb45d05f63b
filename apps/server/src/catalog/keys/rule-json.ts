const TEXTS = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }
const PART = { enum: ['all', 'newest'] }
const NUMBER = { type: 'number' }
const FLAG = { type: 'boolean' }
const HEALTH = { enum: ['healthy', 'unhealthy'] }

const toBlock = (properties: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  type: 'object',
  properties,
})
const orBlock = (short: object, properties: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  anyOf: [short, toBlock(properties)],
})
const SPAN = toBlock({ min: NUMBER, max: NUMBER })

/** The signals of a condition, as `@svc/router/signals` reads them. */
const SIGNALS = {
  keyword: { anyOf: [...TEXTS.anyOf, toBlock({ words: TEXTS, in: PART })] },
  expression: orBlock({ type: 'string' }, { pattern: { type: 'string' }, in: PART }),
  prompt_length: toBlock({ min: NUMBER, max: NUMBER, unit: { enum: ['tokens', 'characters'] } }),
  language: TEXTS,
  has_images: FLAG,
  has_audio: FLAG,
  has_tools: FLAG,
  tag: { type: 'object', additionalProperties: TEXTS },
  group: TEXTS,
  time: toBlock({ days: TEXTS, from: { type: 'string' }, to: { type: 'string' }, zone: { type: 'string' } }),
  remaining_budget: SPAN,
  health: orBlock(HEALTH, { model: { type: 'string' }, is: HEALTH }),
  latency: toBlock({ model: { type: 'string' }, min_ms: NUMBER, max_ms: NUMBER }),
  label: TEXTS,
  score: SPAN,
}

/** A condition; those inside of it are described for two levels. */
function describeCondition(levels: number): Record<string, unknown> {
  if (levels === 0) return { type: 'object' }
  const inner = describeCondition(levels - 1)
  const list = { type: 'array', items: inner }
  return toBlock({ all: list, any: list, not: inner, ...SIGNALS })
}

/** The key `rules` of a router in JSON Schema. */
export const RULES_JSON = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Names the rule in decisions.' },
      at: { enum: ['before', 'after'], description: 'Before or after the classifier. Default: before.' },
      when: describeCondition(2),
      use: { type: 'string', description: 'A candidate, or the fallback: it serves.' },
      only: { type: 'array', items: { type: 'string' }, description: 'Only these candidates stay.' },
      skip_classifier: { type: 'boolean', description: 'The candidates are not narrowed by labels.' },
      overrides_sticky: { type: 'boolean', description: 'Ends the stay of a conversation on its model.' },
    },
    required: ['when'],
  },
}
