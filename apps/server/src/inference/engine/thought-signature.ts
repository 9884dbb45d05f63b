import { createHash } from 'node:crypto'
import type { MessagesMessage, MessagesRequest } from '@svc/wire/messages'

/** Signs thoughts. The messages format requires a signature and clients send it back; the server does not check it. */
export interface Signer {
  push(text: string): void
  /** Gives the signature of all pieces and ends the signer. */
  signature(): string
}

/** Creates a signer for one thought. The signature is a digest, equal for any pieces. */
export function createSigner(): Signer {
  const hash = createHash('sha256')
  return { push: (text) => void hash.update(text), signature: () => hash.digest('base64') }
}

/**
 * Leaves out thoughts without a signature of an upstream: thoughts of models of this server, and unsigned ones. An
 * upstream refuses them. A turn of only such thoughts is left out with them.
 */
export function dropForeignThoughts(request: MessagesRequest): MessagesRequest {
  const messages = request.messages.flatMap((message): MessagesMessage[] => {
    if (typeof message.content === 'string') return [message]
    const content = message.content.filter((block) => !isForeignThought(block))
    if (content.length === message.content.length) return [message]
    return content.length === 0 ? [] : [{ ...message, content }]
  })
  return { ...request, messages }
}

type Block = Exclude<MessagesMessage['content'], string>[number]

function isForeignThought(block: Block): boolean {
  if (block.type !== 'thinking') return false
  const { thinking, signature } = block
  if (typeof thinking !== 'string' || typeof signature !== 'string' || signature === '') return true
  const own = createSigner()
  own.push(thinking)
  return own.signature() === signature
}
