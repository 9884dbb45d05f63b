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
 * Leaves out thoughts without a signature of an upstream: those of models of this server, and those that nobody has
 * signed. An upstream refuses them. A turn that was such thoughts and nothing else is left out with them.
 */
export function dropForeignThoughts(request: MessagesRequest): MessagesRequest {
  if (!request.messages.some(hasForeignThought)) return request
  const messages = request.messages.map((message) => {
    if (!hasForeignThought(message) || typeof message.content === 'string') return message
    return { ...message, content: message.content.filter((block) => !isForeignThought(block)) }
  })
  return { ...request, messages: messages.filter(({ content }, index) => isFilled(content, request.messages[index])) }
}

function hasForeignThought({ content }: MessagesMessage): boolean {
  return typeof content !== 'string' && content.some(isForeignThought)
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

function isFilled(content: MessagesMessage['content'], before: MessagesMessage | undefined): boolean {
  return content.length > 0 || before?.content.length === 0
}
