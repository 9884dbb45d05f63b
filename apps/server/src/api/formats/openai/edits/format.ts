import { type Edit, type EditRequest, editRequest } from '@svc/wire/openai'
import { NO_USAGE, type Usage } from '../../../../inference/core/events.ts'
import type { CompletionRequest } from '../../../../inference/core/request.ts'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import type { ReplyCollector, ReplyFacts, WireFormat } from '../../../../inference/replies/wire-format.ts'
import { toCompletionUsage } from '../chat/usage.ts'
import { MAX_CHOICES } from '../limits.ts'
import { toGeneration } from '../to-generation.ts'

/** The wire format of `POST /v1/edits`, which has no streams. */
export const editFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'input', MAX_CHOICES)
    const request = editToDomain(await readBody(editRequest, document, signal))
    const choices = request.prompts.length * request.choices
    return { kind: 'generation', request, collect: (facts) => collectEdit(facts, choices) }
  },
}

function editToDomain(body: EditRequest): CompletionRequest {
  const { input } = body
  const prompts = Array.isArray(input) ? input : [input ?? '']
  const choices = body.n ?? 1
  if (prompts.length === 0) throw unparsable('input: at least one text is needed', 'input')
  if (prompts.length * choices > MAX_CHOICES)
    throw unparsable(`input: more than ${MAX_CHOICES} choices in all`, 'input')
  return {
    kind: 'completion',
    prompts,
    instruction: body.instruction,
    choices,
    stream: false,
    generation: toGeneration(body),
    reasoningEffort: body.reasoning_effort ?? undefined,
    metadata: body.metadata ?? undefined,
  }
}

/** Gathers the texts of all choices into one `edit` body. */
function collectEdit(facts: ReplyFacts, choices: number): ReplyCollector {
  const texts = new Array<string>(choices).fill('')
  let usage: Usage = NO_USAGE
  return {
    event(event) {
      if (event.type === 'usage') usage = event.usage
      if (event.type === 'text-delta') texts[event.choice] += event.text
    },
    body: (): Edit => ({
      id: facts.requestId,
      object: 'edit',
      created: facts.created,
      model: facts.model,
      choices: texts.map((text, index) => ({ index, text })),
      usage: toCompletionUsage(usage, facts.extraUsage),
    }),
  }
}
