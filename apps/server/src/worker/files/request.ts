import type { IncomingMessage } from 'node:http'
import { SvcError } from '@svc/errors'
import type { ServerReply } from '../../http/messages.ts'
import type { Upgrade } from '../../http/upgrade.ts'
import { discardBody, writeReply } from './answer-error.ts'
import type { FileReply } from './reply.ts'

/** A request whose bearer is right. */
export interface FileRequest {
  /** Without query. */
  readonly path: string
  readonly incoming: IncomingMessage
  readonly outgoing: ServerReply
  readonly upgrade: Upgrade | undefined
}

/** Sends a small reply; what is left of the body goes nowhere. */
export function reply({ incoming, outgoing }: FileRequest, answer: FileReply): void {
  discardBody(incoming)
  writeReply(outgoing, answer)
}

/** The refusal of a method. @param allow the methods of the path */
export function wrongMethod({ outgoing }: FileRequest, allow: string): SvcError {
  outgoing.setHeader('Allow', allow)
  return new SvcError('method_not_allowed', 'method not allowed', { code: 'method_not_allowed' })
}
