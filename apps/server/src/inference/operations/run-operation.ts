import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../models/model-config.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operation.ts'

/** What an operation runs with. */
export interface OperationContext {
  readonly client: BackendClient
  /** With defaults filled in. */
  readonly model: ModelConfig
  readonly correlationId: string
  readonly signal: AbortSignal
}

/** Runs one kind of operation on a loaded model. */
export type OperationRunner<K extends OperationKind> = (
  request: OperationRequest<K>,
  context: OperationContext,
) => Promise<OperationResult<K>>

/** The way to run each kind; an operation without a seat here is not in this version. */
const RUNNERS: { readonly [K in OperationKind]?: OperationRunner<K> } = {}

/** Runs an operation on a loaded model. @throws SvcError `not_implemented`, or what the backend refused with */
export function runOperation<K extends OperationKind>(
  request: OperationRequest<K>,
  context: OperationContext,
): Promise<OperationResult<K>> {
  const run = RUNNERS[request.kind as K] as OperationRunner<K> | undefined
  if (run === undefined) throw new SvcError('not_implemented', `${request.kind} is not in this version`)
  return run(request, context)
}
