import type { BackendClient } from '@svc/backend-client'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { WeightsIdentity } from '../../catalog/weights-identity.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { MaybePromise } from '../../ports.ts'
import type { SlotStore } from '../../slots/slot-store.ts'
import type { MediaUsage } from '../core/events.ts'
import type { ChatPromptInput } from '../prompt/prompt-input.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operation.ts'

/** Writes conversations with the templates of a model file. */
export interface ConversationWriter {
  /** Gives the text, or `backend` when only the backend has a template for it. */
  chat(
    model: ModelConfig,
    conversation: ChatPromptInput,
    options: { readonly signal: AbortSignal },
  ): MaybePromise<{ readonly mode: 'backend' } | { readonly mode: 'prompt'; readonly prompt: string }>
}

/** Context of a check before the model is loaded. */
export interface CheckContext {
  /** The model with defaults filled in. */
  readonly model: ModelConfig
  /** Saved states of slots. @default none are saved */
  readonly slots?: SlotStore | undefined
}

/** Context of an operation. */
export interface OperationContext extends CheckContext {
  readonly client: BackendClient
  readonly correlationId: string
  /** The weights that the model was loaded from. @default unknown */
  readonly loadedWeights?: WeightsIdentity | undefined
  /** @default conversations are written as one line for each message */
  readonly prompts?: ConversationWriter | undefined
  /**
   * Counts sound, pictures and text of the call: the totals so far.
   *
   * @default nobody counts them
   */
  readonly onMedia?: ((media: MediaUsage) => void) | undefined
  /** Makes files for backends to write. They lie on a disk that the server shares with them. */
  readonly drafts: Pick<PrivateFiles, 'create'>
  readonly signal: AbortSignal
}

/** Runs one kind of operation on a loaded model. */
export type OperationRunner<K extends OperationKind> = (
  request: OperationRequest<K>,
  context: OperationContext,
) => Promise<OperationResult<K>>

/** Refuses an operation before its model is loaded. */
export type OperationCheck<K extends OperationKind> = (
  request: OperationRequest<K>,
  context: CheckContext,
) => Promise<void>
