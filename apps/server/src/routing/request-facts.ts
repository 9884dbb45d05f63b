import type { Principal } from '@svc/auth'
import type { ProbeFormat } from '@svc/router'
import { extractFacts, type RequestFacts } from '@svc/router/signals'
import { estimatePrompt } from '../inference/core/estimate-tokens.ts'
import type { RequestContext } from '../inference/core/ports.ts'
import type { RequestDocument } from '../inference/documents/request-document.ts'
import type { MaybePromise } from '../ports.ts'
import { readRequestTags, TAGS_HEADER } from '../spend/request-tags.ts'

/** The header with the id of a conversation. */
const CONVERSATION_HEADER = 'x-svc-conversation'
const MAX_CONVERSATION_LENGTH = 256

/** Facts about callers that other parts of the server know. */
export interface CallerFacts {
  /** The groups of a caller. @default unknown */
  readonly findGroups?: ((principal: Principal) => MaybePromise<readonly string[] | undefined>) | undefined
  /** The share of a caller's budget that is left, 0 to 1. @default unknown */
  readonly findRemainingBudget?: ((principal: Principal) => MaybePromise<number | undefined>) | undefined
}

/**
 * The facts of a request for the rules of its router.
 *
 * @throws {SvcError} `invalid_tags` for a wrong header
 */
export async function findRequestFacts(
  { document, context, format }: { document: RequestDocument; context: RequestContext; format: ProbeFormat },
  callers: CallerFacts,
): Promise<RequestFacts> {
  const texts = document.texts()
  const { principal } = context
  const facts = extractFacts(texts.root, format)
  const id = context.header(CONVERSATION_HEADER)?.trim() ?? ''
  return {
    ...facts,
    conversation: id === '' || id.length > MAX_CONVERSATION_LENGTH ? facts.conversation : id,
    promptTokens: estimatePrompt(texts),
    tags: readRequestTags(context.header(TAGS_HEADER)),
    groups: await callers.findGroups?.(principal),
    remainingBudget: await callers.findRemainingBudget?.(principal),
    scope: principal.id,
  }
}
