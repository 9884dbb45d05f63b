import { SvcError } from '@svc/errors'
import { type Moderation, type ModerationRequest, moderationRequest } from '@svc/wire/openai'
import type { CompletionRequest } from '../../../../inference/core/request.ts'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import type { ReplyCollector, ReplyFacts, WireFormat } from '../../../../inference/replies/wire-format.ts'
import { toModerationPrompt } from './prompt.ts'
import { readVerdict, VERDICT_SCHEMA } from './verdict.ts'

/** Each text is a prediction of its own. */
const MAX_TEXTS = 256
/** Several times the length of a verdict. */
const MAX_TOKENS = 512

/** The wire format of `POST /v1/moderations`: the model fills in a form for each text. */
export const moderationFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'input', MAX_TEXTS)
    const request = moderationToDomain(await readBody(moderationRequest, document, signal))
    return { kind: 'generation', request, collect: (facts) => collectModeration(facts, request.prompts.length) }
  },
}

function moderationToDomain({ input }: ModerationRequest): CompletionRequest {
  const texts = typeof input === 'string' ? [input] : input
  if (texts.length === 0) throw invalidInput('input must contain at least one text string')
  if (texts.includes('')) throw invalidInput('input strings must not be empty')
  return {
    kind: 'completion',
    prompts: texts.map(toModerationPrompt),
    choices: 1,
    echo: false,
    stream: false,
    thinking: false,
    generation: { temperature: 0, maxTokens: MAX_TOKENS },
    structuredOutput: { kind: 'json-schema', schema: VERDICT_SCHEMA },
  }
}

function invalidInput(message: string): SvcError {
  return new SvcError('invalid_request', message, {
    code: 'invalid_input',
    details: { type: 'invalid_request_error', param: 'input' },
  })
}

/** Gathers the verdicts on all texts into one body. */
function collectModeration(facts: ReplyFacts, count: number): ReplyCollector {
  const answers = new Array<string>(count).fill('')
  return {
    event(event) {
      if (event.type === 'text-delta') answers[event.choice] += event.text
    },
    body: (): Moderation => ({
      id: `modr-${facts.requestId}`,
      model: facts.model,
      results: answers.map(readVerdict),
    }),
  }
}
