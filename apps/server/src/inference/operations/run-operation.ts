import type { BackendClient } from '@svc/backend-client'
import type { ModelConfig } from '../../models/model-config.ts'
import type { ChatMessage } from '../request.ts'
import { runDetokenize } from './detokenize.ts'
import { runEmbed } from './embed.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operation.ts'
import { runRerank } from './rerank.ts'
import { runScore } from './score.ts'
import { runTokenize } from './tokenize.ts'

/** Writes conversations by the templates of a model's file. */
export interface ConversationWriter {
  /** The text, or `backend` where only the backend has a template for it. */
  chat(
    model: ModelConfig,
    conversation: { readonly messages: readonly ChatMessage[] },
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly mode: 'backend' } | { readonly mode: 'prompt'; readonly prompt: string }>
}

/** What an operation runs with. */
export interface OperationContext {
  readonly client: BackendClient
  /** With defaults filled in. */
  readonly model: ModelConfig
  readonly correlationId: string
  /** @default conversations are written a line a message */
  readonly prompts?: ConversationWriter | undefined
  readonly signal: AbortSignal
}

/** Runs one kind of operation on a loaded model. */
export type OperationRunner<K extends OperationKind> = (
  request: OperationRequest<K>,
  context: OperationContext,
) => Promise<OperationResult<K>>

/** The way to run each kind. */
const RUNNERS: { readonly [K in OperationKind]: OperationRunner<K> } = {
  embed: runEmbed,
  rerank: runRerank,
  tokenize: runTokenize,
  detokenize: runDetokenize,
  score: runScore,
}

/**
 * Runs an operation on a loaded model.
 *
 * @throws SvcError `not_implemented` where the backend has none such, `invalid_request`, or what it failed with
 */
export function runOperation<K extends OperationKind>(
  request: OperationRequest<K>,
  context: OperationContext,
): Promise<OperationResult<K>> {
  // The table maps each kind to its own runner; the compiler does not follow that through a union.
  const run = RUNNERS[request.kind as K] as OperationRunner<K>
  return run(request, context)
}
